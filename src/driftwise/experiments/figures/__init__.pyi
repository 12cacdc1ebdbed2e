from .album import draw_all
from .drawing import Drawing, Style

__all__ = ["Drawing", "Style", "draw_all"]
