"""The fit of the policy `points`: `python -m tools.fit_points`.

`point_count` fits the points of cards, `thresholds` when to take, `auctions` how to bid, all from
rounds that `imposed` plays; `fit` puts them together, `page` writes them up.
"""
