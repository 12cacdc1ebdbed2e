"""What is published: wheel and sdist, the citation, and the workflow that tests them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml

import driftwise as dw

ROOT = Path(__file__).parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT = PYPROJECT["project"]
USE = """
import sys
import driftwise as dw
agent = dw.Agent(dw.AdaptiveUCB(), n_arms=3, seed=0)
decision = agent.choose()
agent.learn(decision, True)
assert agent.choose(), agent
assert dw.recommend(n_arms=3).why  # by a record that is in the package
assert "site-packages" in dw.__file__, dw.__file__
print(dw.__version__, *sorted({"polars", "rich", "typer"} & set(sys.modules)))
"""


def called(*words: str | Path, folder: Path) -> str:
    environment = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}
    environment["NUMBA_CACHE_DIR"] = str(folder / "cache")
    done = subprocess.run(
        list(map(str, words)), cwd=folder, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def environment_with(folder: Path, *packages: str | Path) -> Path:
    """Make an environment of its own and return its Python."""
    called(sys.executable, "-m", "venv", folder / "environment", folder=folder.parent)
    python = folder / "environment" / ("Scripts" if os.name == "nt" else "bin") / "python"
    called(python, "-m", "pip", "--quiet", "install", *packages, folder=folder)
    return python


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Build wheel and sdist as pyproject.toml says."""
    folder = tmp_path_factory.mktemp("building")
    python = environment_with(folder, *PYPROJECT["build-system"]["requires"])
    called(python, "-m", "hatchling", "build", "-d", folder / "dist", folder=ROOT)
    (wheel,), (sdist,) = (list((folder / "dist").glob(f"*.{end}")) for end in ("whl", "tar.gz"))
    return wheel, sdist


@pytest.fixture(scope="module")
def sources() -> set[str]:
    """Give every file of the package that is not made by running it."""
    package = ROOT / "src" / "driftwise"
    files = {path for path in package.rglob("*") if path.is_file()}
    return {
        f"driftwise/{path.relative_to(package).as_posix()}"
        for path in files
        if "__pycache__" not in path.parts
    }


@pytest.mark.slow
def test_nothing_is_missing(distributions: tuple[Path, Path], sources: set[str]) -> None:
    wheel, sdist = distributions
    with zipfile.ZipFile(wheel) as archive:
        inside = {name for name in archive.namelist() if ".dist-info/" not in name}
        (name,) = (name for name in archive.namelist() if name.endswith("/METADATA"))
        about = archive.read(name).decode()
    assert inside == sources
    assert f"Version: {dw.__version__}\n" in about
    assert set(re.findall("^Provides-Extra: (.*)$", about, re.M)) == set(
        PROJECT["optional-dependencies"]
    )
    with tarfile.open(sdist) as archive:
        packed = {name.partition("/")[2] for name in archive.getnames()}
    assert {f"src/{name}" for name in sources} <= packed
    assert {"LICENSE", "README.md", "CHANGELOG.md", "tests/test_distribution.py"} <= packed


@pytest.mark.slow
def test_a_clean_environment_decides(distributions: tuple[Path, Path], tmp_path: Path) -> None:
    """With what it needs and nothing more, the command line says what it is missing."""
    wheel, sdist = distributions
    python = environment_with(tmp_path, wheel, "--constraint", ROOT / "constraints.txt")
    assert called(python, "-c", USE, folder=tmp_path) == f"{dw.__version__}\n"
    asked = subprocess.run([python, "-m", "driftwise"], capture_output=True, text=True, check=False)
    assert asked.returncode == 2
    assert "pip install 'driftwise[experiments]'" in asked.stderr
    called(
        python,
        "-m",
        "pip",
        "--quiet",
        "install",
        "--no-deps",
        "--force-reinstall",
        sdist,
        folder=tmp_path,
    )
    assert called(python, "-c", USE, folder=tmp_path) == f"{dw.__version__}\n", "from sources"


def test_one_version_everywhere() -> None:
    assert PROJECT["version"] == dw.__version__


def test_the_citation_says_what_the_package_says() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert cited["cff-version"] == "1.2.0"
    assert cited["title"] == PROJECT["name"]
    assert cited["abstract"] == PROJECT["description"]
    assert cited["license"] == PROJECT["license"]
    assert cited["keywords"] == PROJECT["keywords"]
    assert cited["authors"] == PROJECT["authors"]


@pytest.fixture(scope="module")
def jobs() -> dict[str, Any]:
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text())
    return dict(workflow["jobs"])


def test_the_workflow_does_what_decides_here(jobs: dict[str, Any]) -> None:
    ran = {step["run"] for job in jobs.values() for step in job["steps"] if "run" in step}
    decides = set(re.findall("^make [a-z-]+", (ROOT / ".ci" / "run").read_text(), re.M))
    assert decides | {"make test-newest"} == ran


@pytest.mark.parametrize("job", ["test", "newest"])
def test_the_workflow_knows_every_python(jobs: dict[str, Any], job: str) -> None:
    words = "Programming Language :: Python :: "
    named = [each.removeprefix(words) for each in PROJECT["classifiers"] if each.startswith(words)]
    assert jobs[job]["strategy"]["matrix"]["python"] == named
