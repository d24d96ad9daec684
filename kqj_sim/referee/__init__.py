"""The referee: the rules of the games in plain Python, slow and plain enough to be seen right.

It shares nothing with the compiled core, which is held against it.  `referee.kqj` and
`referee.kwajongen` have each game's own rules; what is here serves both.
"""

from kqj_sim.referee.check import check_record, check_records

__all__ = ["check_record", "check_records"]
