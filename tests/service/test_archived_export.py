"""What is exported of a log whose first events are archived: all that is still there."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import httpx

from driftwise.service.http.site import Site
from tests.service.over_http import EXAMPLE, serving
from tests.service.test_http_operations import asked, lived


def test_what_is_not_archived_is_exported(tmp_path: Path) -> None:
    log = tmp_path / "log.db"

    async def talk(client: httpx.AsyncClient, site: Site) -> None:
        site.folder = tmp_path
        await lived(client, 10)
        whole = (await client.get("/v1/prices/log")).text.splitlines()
        first = json.loads(whole[-10])
        await asked(client, "archive", to=12)
        left = (await client.get("/v1/prices/log")).text.splitlines()
        assert 0 < len(left) < len(whole)
        assert left == whole[-len(left) :]
        assert first in map(json.loads, left)
        kept = await client.get(
            "/v1/prices/log", headers={"accept": "application/vnd.apache.parquet"}
        )
        assert kept.status_code == 200

    serving(log, talk)
    target = tmp_path / "log.jsonl"
    command = [sys.executable, "-m", "driftwise", "log", "export", str(EXAMPLE), str(target)]
    subprocess.run([*command, "--log", str(log)], check=True, capture_output=True, timeout=60)
    assert target.read_text()
