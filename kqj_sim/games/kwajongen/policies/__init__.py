"""Policies of Kwajongen: whether to accept the trump suit, and which card to play."""
