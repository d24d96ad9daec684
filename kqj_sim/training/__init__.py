"""Training of the policies that learn: play decisions, and fit weights to them.

`recorder` plays deals and values every card that could be played, `linear` and `network` fit
weights to these decisions, `run` repeats that in rounds, and `report` measures the weights on other
deals.  `points` fits the point count: `point_count` the points of cards, `thresholds` when to take,
`auctions` how to bid, all from rounds that `imposed` plays.  `accept` fits the count of Kwajongen.
`kqj-sim train` runs them.
"""
