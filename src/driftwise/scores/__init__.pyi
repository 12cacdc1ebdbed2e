from .board import Kind, Score, Scoreboard
from .recommending import PROVED, Option, Recommendation, recommend
from .record import BoardRecord, Record, published_record

__all__ = [
    "PROVED",
    "BoardRecord",
    "Kind",
    "Option",
    "Recommendation",
    "Record",
    "Score",
    "Scoreboard",
    "published_record",
    "recommend",
]
