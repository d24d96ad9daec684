"""Reviews: the decisions of recorded rounds graded, and results split into luck and skill."""
