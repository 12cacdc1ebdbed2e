from .category import Category
from .declaration import PerAction
from .encoder import CompactRows, Encoder
from .extension import Extension
from .fields import Constant, Cycle, Flag, Number
from .roster import Holding, Roster
from .suggestion import suggest

__all__ = [
    "Category",
    "CompactRows",
    "Constant",
    "Cycle",
    "Encoder",
    "Extension",
    "Flag",
    "Holding",
    "Number",
    "PerAction",
    "Roster",
    "suggest",
]
