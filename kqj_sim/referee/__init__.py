"""The referee: the rules of the games in plain Python, simple enough to verify by reading.

It shares nothing with the compiled core, which is tested against it.  `referee.kqj` holds the rules
of KQJ; the modules here serve every game.
"""

from kqj_sim.referee.base import get_referee
from kqj_sim.referee.check import check_record, check_records

__all__ = ["check_record", "check_records", "get_referee"]
