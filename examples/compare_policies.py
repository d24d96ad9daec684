"""A notebook-like script that compares two policies on the same deals.

Run it from anywhere: python examples/compare_policies.py
"""

# %% The question: a user policy, and the policy it should beat.
from pathlib import Path

import kqj_sim as kqj

OWN = f"{Path(__file__).parent / 'ace_counter.py'}"
OTHER = "greedy"
DEALS = 20_000
rules = kqj.KqjRules(teams=2, all_no_trump="never")

# %% Each deal is played twice, so that each policy holds each side's cards once.
result = kqj.compare(OWN, OTHER, rules=rules, deals=DEALS)
mean, low, high, deals = result.lead
print(f"{deals} deals, each played twice, cards exchanged")
print(f"ace_counter scores {mean:+.1f} points a round more than {OTHER}")
print(f"(95%: {low:+.1f} to {high:+.1f})")
differs = result.estimate("differing_deal_share")
print(f"they differ in {differs.value:.0%} of the deals")

# %% Where does it come from?  The rows as a pandas table: who takes, and how often it is made.
there = kqj.simulate(rules=rules, policy={"team0": OWN, "team1": OTHER}, deals=DEALS)
frame = there.frame(
    ["deal", "taken", "contracting_team", "result", "contracting_total", "sender_trumps"]
)
taken = frame[frame["taken"]].assign(
    side=lambda rows: rows["contracting_team"].map({0: "ace_counter", 1: OTHER})
)
print(
    taken.groupby("side")
    .agg(
        rounds=("deal", "size"),
        made=("result", lambda result: (result == "made").mean()),
        total=("contracting_total", "mean"),
        trumps=("sender_trumps", "mean"),
    )
    .round(3)
)
