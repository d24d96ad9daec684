"""The picture on top of the README: drawn from a review, and up to date."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest

import kqj_sim as kqj
from docs.draw_trick import PICTURE, draw_worst_card, review_round


@pytest.mark.parametrize("seed", range(3))
def test_each_legal_card_has_its_value_and_two_are_marked(seed: int) -> None:
    played = kqj.records(policy="greedy", deals=1, seed=seed)
    reviewed = json.loads(kqj.review(played, samples=20).to_json())
    picture = ElementTree.fromstring(draw_worst_card(reviewed))
    texts = [element.text for element in picture.iter("{http://www.w3.org/2000/svg}text")]
    decisions = reviewed["rounds"][0]["decisions"]
    cards = [each for each in decisions if each["trick"] and not each["at"].endswith(".1")]
    worst = max(cards, key=lambda card: card["loss_points"])
    values = [text for text in texts if text and text[0] in "+-" and text[1:].isdigit()]
    assert sorted(values) == sorted(f"{option['value']:+.0f}" for option in worst["options"])
    assert texts.count("best") == texts.count("played") == 1
    on_table = int(worst["at"].split(".")[1]) - 1
    in_hand = 9 - worst["trick"]
    assert len([*picture.iter("{http://www.w3.org/2000/svg}use")]) == on_table + in_hand


@pytest.mark.slow
def test_the_picture_is_up_to_date() -> None:
    assert PICTURE.read_text(encoding="utf-8") == draw_worst_card(review_round())
