"""Training of the policies that learn: decisions are played, weights are fitted to them.

`decisions` plays deals and values every card that could be played, `linear` and `network` fit
weights to that, `measure` tells on other deals what the weights are worth, and `run` puts these
together.  It is behind `kqj-sim train`.
"""
