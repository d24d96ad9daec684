"""Training of the policies that learn: decisions are played, weights are fitted to them.

`decisions` plays deals and values every card that could be played, `linear` and `network` fit
weights to that, `measure` tells on other deals what the weights are worth, and `run` puts these
together.  `points` fits the point count: `count_fit` what cards count, `thresholds` when to take,
`auctions` what bids tell, `margins` how bold to bid, all from rounds that `imposed` plays.
`kqj-sim train` does it all.
"""
