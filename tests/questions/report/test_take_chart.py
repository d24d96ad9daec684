"""The take chart: classes by the cards as text, gains against rounds played one by one."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from numpy.typing import NDArray

from kqj_sim.imposed import ImposedFirstCall
from kqj_sim.questions.report.play import CLASS_COUNT, TOP_TRUMPS, classify_hands, play_take_chart
from kqj_sim.rules import KqjRules
from kqj_sim.runner import Runner
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records
from kqj_sim.simulation.rows import Rows
from kqj_sim.simulation.run import simulate

DEALS = 600
GAIN, MORE, LESS = ("gain_mean", "taking_better_share", "passing_better_share")


def experiment(rules: KqjRules, first_call: ImposedFirstCall | None = None) -> Experiment:
    return Experiment(rules, ("random",) * 6, DEALS, 5, imposed=first_call)


def told(number: int) -> tuple[str, int, str]:
    tops, rest = divmod(number, 28)
    trumps, aces = divmod(rest, 4)
    return TOP_TRUMPS[tops], trumps, str(aces) if aces < 2 else "2 or 3"


def worth(rows: Rows, teams: int) -> NDArray[np.float64]:
    frame = rows.frame()
    worths = []
    for _, row in frame.iterrows():
        scores = [row[f"score_{team}"] for team in range(teams)]
        own = scores.pop(row[f"team_of_seat_{(row['dealer'] + 1) % 6}"])
        worths.append(own - sum(scores) / len(scores))
    return np.array(worths)


def test_classes_are_those_of_the_cards_dealt() -> None:
    of = experiment(KqjRules())
    found = classify_hands(of, 0, DEALS)
    assert found.max() < CLASS_COUNT
    for number, record in zip(found.tolist(), islice(play_records(of), 200), strict=False):
        assert record.turned is not None
        hand = [*record.dealt[(record.dealer + 1) % 6], record.turned]
        suit = record.turned[1]
        trumps = {card[0] for card in hand if card[1] == suit}
        tops = " ".join(rank for rank in "987" if rank in trumps) or "none"
        aces = sum(card[0] == "A" and card[1] != suit for card in hand)
        assert told(number) == (tops, len(trumps), str(aces) if aces < 2 else "2 or 3")


@pytest.mark.parametrize(
    "rules",
    [KqjRules(), KqjRules(teams=3), KqjRules(teams=3, partners="random")],
    ids=["two teams", "three teams", "random partners"],
)
def test_gains_are_those_of_the_rounds(rules: KqjRules) -> None:
    chart = play_take_chart(experiment(rules), DEALS, 0.95, Runner(threads=1))
    overall, _, by_hand = chart.tables()
    taken, passed = (
        simulate(experiment(rules, ImposedFirstCall(takes)), 1) for takes in (True, False)
    )
    gains = worth(taken, rules.teams) - worth(passed, rules.teams)
    assert overall.estimates(GAIN)[()].value == pytest.approx(gains.mean())
    assert overall.estimates(GAIN)[()].high - gains.mean() == pytest.approx(
        1.964 * gains.std(ddof=1) / np.sqrt(DEALS), rel=1e-3
    )
    assert overall.estimates(MORE)[()].value == (gains > 0).mean()
    assert overall.estimates(LESS)[()].value == (gains < 0).mean()
    hands = [told(number) for number in classify_hands(experiment(rules), 0, DEALS)]
    means = by_hand.estimates(GAIN)
    assert means.keys() == {*hands}
    for hand in means:
        own = gains[[each == hand for each in hands]]
        assert means[hand].observations == len(own)
        assert means[hand].value == pytest.approx(own.mean())


def test_threads_and_chunks_cannot_be_seen() -> None:
    of = experiment(KqjRules())
    one, two = (play_take_chart(of, DEALS, 0.95, Runner(threads=count)) for count in (1, 2))
    for left, right in zip(one.tables(), two.tables(), strict=True):
        assert left.frame.equals(right.frame)


def test_imposed_call_equal_to_the_own_changes_nothing() -> None:
    """Rounds in which the opener chose what is imposed do not change."""
    own = simulate(experiment(KqjRules()), 1)
    taken, passed = (
        simulate(experiment(KqjRules(), ImposedFirstCall(takes)), 1) for takes in (True, False)
    )
    opening = (own.column("lap") == 1) & (own.column("place") == 0)
    assert 0 < opening.sum() < DEALS
    assert (own.values[:, opening] == taken.values[:, opening]).all()
    assert (own.values[:, ~opening] == passed.values[:, ~opening]).all()
    assert (taken.column("kind") == 0).all()
    assert (taken.column("place") == 0).all()
    assert not ((passed.column("lap") == 1) & (passed.column("place") == 0)).any()
