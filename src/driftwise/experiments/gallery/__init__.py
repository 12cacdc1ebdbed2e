"""Every world with every policy that may play there, as a page, figures and numbers."""

from __future__ import annotations

from .exhibition import Gallery, make_gallery, plan_gallery

__all__ = ["Gallery", "make_gallery", "plan_gallery"]
