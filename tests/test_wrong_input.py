"""Wrong input to every command and public function ends with one line that names it.

One case for each mistake. A command calls its function, so that functions have cases only for what
a command line cannot say. Values that nobody types are in tests/commands/test_errors.py.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

import kqj_sim
from tests.command_line import expect_error, find_commands, read_error, run
from tests.games.every import SHARED

GOLDEN = Path(__file__).parent / "golden"

HAND = "odds 9h 8h Ah Ks 4d --return 7h"
EIGHT = "odds 9h 8h Ah Kh Qh 5d 6c Ac --bidding auction"
CARD = "odds 7h Ks 4d Qd 9s 8c Tc Jc --return 9h --played 'As 4s'"
LATER = "odds 7h Ks 4d Qd 9s 8c Tc Jc --return 9h --contract h --sender opener --played"
RECORD = "odds --record golden/worked_case.jsonl"
PAIR = "compare random greedy"
SWEEP = "sweep points:take=45+greedy"
TUNE = "tune points:take=45 --opponents greedy"

USAGE = {
    # The command line itself.
    "frobnicate": "'frobnicate': `kqj-sim help` lists the commands",
    "simulat": "'simulat'. Did you mean 'simulate'",
    "help simulat": "Did you mean 'simulate'?",
    "odd 9h": "Did you mean 'odds'?",
    "simulate --deal 5": "No such option '--deal'. Did you mean '--deals'?",
    "simulate --plicy greedy": "'--policy'?",
    "odds --retrun 7h": "No such option '--retrun'. Did you mean '--return'?",
    "odds 9h --returns 7h": "No such option '--returns'. Did you mean '--return'?",
    "policies list": "No such command 'list': `kqj-sim policies` lists the policies",
    # Numbers.
    **dict.fromkeys(
        (
            f"simulate --deals {n}"
            for n in ["-5", "0", "1.5", "many", "inf", "1e30", "10,00", "1MM"]
        ),
        "is not a whole number of 1 or more",
    ),
    **{
        f"simulate --{option} 1.000": f"'--{option}': 1.000 can mean 1 or 1000"
        for option in ("deals", "first", "target")
    },
    "simulate --threads 0": "'--threads': '0' is not a whole number of 1 or more",
    "simulate --confidence 95": "'--confidence': '95' is not between 0.01 and 0.999999",
    "show --seed 1E+5000000": "'--seed': '1E+5000000' is not a whole number of 0 or more",
    "tune points --parameters take --candidates 2147483648": "'2147483648' is not a whole "
    "number from 4 to 10,000",
    # Rules.
    "simulate --teams 4": "'--teams': '4' is not one of '2', '3'",
    "simulate --bidding auctions": "'--bidding': 'auctions' is not one of 'take', 'auction'",
    "simulate --target 1005": "target is a positive multiple of 10, such as 1010, not 1005",
    "simulate --bidding auction --max-amount 100": "max_amount 100 is below the first bid",
    # Players.
    "simulate --policy stndard": "did you mean 'standard'?",
    "simulate --policy random:tak=1": "did you mean 'take'?",
    "simulate --policy points:tak=4": "did you mean 'take'?",
    "simulate --policy points:openig=4": "did you mean 'opening'?",
    "simulate --policy seat6=random": "--policy seat6=random: the seats are seat0 to seat5",
    "simulate --policy team2=random": "--policy team2=random: the teams are team0 to team1",
    "simulate --policy player1=random": "--policy player1=random: that is not a seat or team",
    "simulate --policy seat1=": "names no policy: write seat1=learned+network",
    "simulate --partners random --policy team0=random": "name seats, such as seat0=random",
    # Contracts.
    "simulate --impose h": "--impose h: write place and contract",
    "simulate --impose 7:h": "--impose 7:h: '7' is not a place: write opener, 2nd",
    "simulate --impose opener:x": "--impose opener:x: 'x' is not a contract: write one of s h d c",
    "simulate --impose opener:h:150": "--impose opener:h:150: ",
    "simulate --bidding auction --impose opener:h": "--impose opener:h: ",
    "simulate --bidding auction --impose opener:h:125": "multiple of 10 from 120 to 600",
    "simulate --bidding auction --impose opener:h:700": "multiple of 10 from 120 to 600",
    "simulate --all-no-trump never --impose opener:AT": "one of s, h, d, c",
    # Columns and tables.
    "simulate --by delaer": "'delaer' cannot be grouped by: did you mean dealer?",
    "simulate --by capott": "did you mean capot_announced, capot_contracting or capot_defending?",
    "simulate --by amout": "did you mean amount?",
    "simulate --by nothing_alike": "`kqj-sim columns` lists them",
    "simulate --where 'lapp == 2'": "lapp is not a column: did you mean lap?",
    "simulate --where 'game == 1'": "game is a column of whole games only",
    "simulate --tables bonus": "did you mean bonuses?",
    "simulate --tables xyzzy": "--tables list",
    "odds 9h --tables call": "there is no table 'call'",
    "columns --game chess": "'--game': 'chess' is not",
    # Options that exclude each other, and files of the wrong kind.
    "simulate --deals 5 --games 5": "--deals and --games: give one of them",
    "simulate --rows a.csv --checkpoint b.npz": "--rows and --checkpoint",
    "simulate --out tables.xls": "'tables.xls' has the suffix .xls: let it end in .txt, .csv",
    "simulate --rows rows.txt": "'rows.txt' has the suffix .txt: let it end in .parquet or .csv",
    "simulate --plot plot.gif": "'plot.gif' has the suffix .gif: let it end in .png, .svg or .pdf",
    "records --deals 5 --games 5": "--deals and --games: give one of them",
    # compare
    "compare standard": "standard alone: name two policies or more",
    "compare standard standard": "`standard` is given twice",
    "compare standard standard:take=41 standard:take=41.0": "are the same player",
    "compare points:opening=3 points": "opening has no effect here: it is read with --bidding",
    "compare points points+network": "`points` only calls; `network` plays for it",
    f"compare {'random ' * 26}": "26 policies make 325 pairs: compare at most 25 policies",
    "compare random gredy": "did you mean 'greedy'?",
    f"{PAIR} --opponents gredy": "did you mean 'greedy'?",
    f"{PAIR} --calling --playing": "--calling and --playing: give one of them",
    f"{PAIR} --with standard": "--calling or --playing",
    "compare random+greedy greedy --calling": "write random",
    f"{PAIR} --deals 5 --precision 1": "--deals and --precision: give one of them",
    f"{PAIR} --deals 5 --max-deals 5": "--deals and --max-deals: give one of them",
    f"{PAIR} --games 5 --deals 5": "--deals and --games: give one of them",
    f"{PAIR} --games 5 --precision 5": "--games and --precision: give one of them",
    f"{PAIR} --games auto --deals 5": "write --games 5",
    f"{PAIR} --games many": "'--games': 'many' is not a whole number of 1 or more, such as 1000",
    f"{PAIR} --precision -1": "'--precision': '-1' is not a number above 0, such as 0.5",
    f"{PAIR} --indifference none": "'--indifference': 'none' is not a number above 0, such as 0.5",
    f"{PAIR} --max-deals 0": "'--max-deals': '0' is not a whole number of 1 or more",
    f"{PAIR} --tables larges": "did you mean largest?",
    # sweep
    "sweep gredy --vary take=1,2": "did you mean 'greedy'?",
    f"{SWEEP} --vary take": "write parameter=from:to:step or parameter=value,value",
    f"{SWEEP} --vary take=": "write parameter=from:to:step",
    f"{SWEEP} --vary take=30:70": "30:70 is not a range",
    f"{SWEEP} --vary take=30:70:0": "with a step above 0",
    f"{SWEEP} --vary take=70:30:5": "the range is empty, as 30 is below 70",
    f"{SWEEP} --vary take=a:b:c": "is not a range",
    f"{SWEEP} --vary take=0:400:0.1": "4,001 values: at most 400",
    f"{SWEEP} --vary take=-9e999999:9e999999:1e-999999": "far too many values: at most 400",
    f"{SWEEP} --vary take=1e5000:1e5000:1": "it should be a number from -400 to 400",
    f"{SWEEP} --vary take=3,4,3": "the value 3 is given twice",
    f"{SWEEP} --vary take=1,000": "1,000 can mean 1000, or the values 1 and 0: write 1000 or 1,0",
    f"{SWEEP} --vary take=1.000:2:1": "1.000 can mean 1 or 1000",
    f"{SWEEP} --vary take=3,,4": "take=: it should be a number",
    f"{SWEEP} --vary tak=1,2": "did you mean 'take'",
    "sweep points+greedy --vary prior=1": "`kqj-sim policies show points+greedy` lists the",
    "sweep points+greedy --vary take=0,40 --bidding auction": "take has no effect here: it is read",
    f"{SWEEP} --vary playing.take=3": "'greedy' has no parameter 'take'",
    f"{SWEEP} --vary seat.take=3": "seat.take: known: calling, playing",
    f"{SWEEP} --vary take=1,2 --vary take=1,2": "take varies twice",
    f"{SWEEP} --vary take=1:21:1 --vary lap2=1:21:1": "21 x 21 are 441 sets of values: at most 400",
    f"{SWEEP} --vary take=1,2 --vary lap2=1,2 --vary trump=8,9 --plot a.png": "at most 2",
    f"{SWEEP} --vary take=1,2 --deals 5 --precision 1": "--deals and --precision: give one of them",
    f"{SWEEP} --vary take=1,2 --deals 1": "'--deals': '1' is not a whole number of 2 or more",
    f"{SWEEP} --vary take=1,2 --opponents gredy": "did you mean 'greedy'",
    # tune
    f"{TUNE} --parameters tak": "did you mean 'take'",
    "tune points+greedy --parameters=take --bidding auction": "take has no effect here: it is read",
    f"{TUNE} --parameters take=3": "write the range as take=from:to",
    f"{TUNE} --parameters take=80:20": "the range is empty",
    f"{TUNE} --parameters take=50:60": "take begins at 45, outside of 50 to 60",
    f"{TUNE} --parameters take=0:1000": "it should be a number from -400 to 400",
    f"{TUNE} --parameters take,take=0:80": "take is given twice",
    f"{TUNE} --parameters take --candidates 3": "'--candidates': '3' is not a whole number from 4",
    f"{TUNE} --parameters take --save a.csv": "--save a.csv: ",
    f"{TUNE} --parameters take --out a.toml": "write --save a.toml",
    "tune pimc --parameters prior": "`kqj-sim sweep`, --vary prior=",
    # odds: cards and calls that cannot be
    "odds 9h 8h Ah Ks 4d": "the Return is missing: give the card that is turned up",
    "odds": "your cards are missing: give five",
    "odds --bidding auction": "your cards are missing: give eight",
    "odds 9h --return 7h": "1 card given: with taking you hold 5",
    "odds 9h 8h Ah Ks --return 7h": "4 cards given: with taking you hold 5 (8 with --bidding auct",
    "odds 9h 8h Ah Ks 4d 7h": "6 cards given: with taking you hold 5; if the Return is 7h, write",
    "odds 9h 8h Ah Ks 2d --return 7h": "'2d' is not a card: write a rank of A T H K Q J 9 8 7 6 5",
    "odds 9h 8h A Ks 4d --return 7h": "'A' has no suit: write As, Ah, Ad or Ac",
    "odds 9h 9h Ah Ks 4d --return 7h": "9h is named twice",
    "odds 9h 8h Ah Ks 4d --return 9h": "the Return 9h is in the hand of the opener, too",
    "odds 9h 8h Ah Ks 4d --bidding auction": "5 cards given: with auctions you hold 8",
    f"{EIGHT} --return 7h": "there is no Return",
    f"{HAND} --place left": "--place: 'left' is not a place: write opener, 2nd, 3rd, 4th, 5th or",
    f"{HAND} --place 3": "'3' can mean the 3rd or the 4th",
    f"{HAND} --place 4th --heard pass": "it is the 2nd's turn",
    f"{HAND} --lap 3": "'--lap'",
    f"{HAND} --lap 2 --heard pass": "belongs to lap 1",
    f"{HAND} --heard 'take h'": "the bidding is over after these calls",
    f"{HAND} --heard 'take s'": "is impossible: 's' cannot be taken in lap 1: h can",
    f"{HAND} --heard '120 h'": "with taking there is no bid",
    f"{HAND} --heard '{'p ' * 7}take'": "call 8, 'take', needs a contract in lap 2: write for",
    f"{HAND} --heard pass pass": "write calls between quotes, such as --heard 'pass, 120 h'",
    f"{HAND} --partners-at 9": "--partners-at: '9' is not a place",
    f"{HAND} --partners-at '2nd 3rd'": "only with random partners",
    f"{HAND} --place 2nd --partners random --partners-at 3rd": "there should be 2",
    f"{HAND} --policy gredy": "did you mean 'greedy'",
    f"{HAND} --policy seat9=standard": "--policy seat9=standard: the seats are seat0",
    f"{HAND} --policy always+greedy --place 2nd --error-rate 0 --quiet": (
        "calls 'pass' as the opener with none of"
    ),
    f"{HAND} --deals 9 --precision 1%": "--deals and --precision",
    f"{HAND} --precision 0.5": "0.5 can mean 50% or 0.5%",
    f"{HAND} --out hand.xyz": "'hand.xyz' has the suffix .xyz",
    f"{HAND} --contract h": "go with --played",
    f"{HAND} --raised": "--raised is not for --game kqj",
    f"{HAND} --line 1": "--line is for --record",
    f"{HAND} --pending 5": "--pending: 5 is not a multiple of 10, 0 or more",
    f"{HAND} --at 3.2": "--at is for --record",
    f"{EIGHT} --heard '120 s, 120 h'": "call 2, '120 h', is impossible: the amount 120 is not from",
    f"{EIGHT} --heard '125 s'": "not a multiple of 10",
    f"{EIGHT} --heard counter": "no bid to counter",
    f"{EIGHT} --heard '120 s, counter 3rd'": "the 3rd is no opponent",
    f"{EIGHT} --heard '120h counter 9'": "'9' is not a place: write opener",
    f"{EIGHT} --heard '120 pass'": "call 1, '120', needs a contract: write for example 120 h or",
    f"{EIGHT} --heard '120 harts'": "call 1, '120 harts': 'harts' is not a contract; write s, h",
    f"{EIGHT} --heard pas": "call 1, 'pas', is not a call: write pass, take h, 120 h",
    f"{EIGHT} --heard hearts": "with auctions a bid has an amount; write for example 120 h",
    f"{EIGHT} --heard '120 s, pass, pass, pass, pass, pass'": "the bidding is over",
    f"{EIGHT} --heard '120 s' --place 5th": "it is the 2nd's turn, not the 5th's",
    f"{EIGHT} --heard '120 s, counter' --place 4th": "may overcounter",
    # odds: a round in progress
    CARD: "the contract is missing: give all calls",
    f"{CARD} --contract x --sender opener": "'x' is not a contract: write for example h or NT",
    f"{CARD} --contract '120 h' --sender opener": "belong to auctions",
    f"{CARD} --contract h --sender opener --place 4th": "it is the 3rd's turn, not the 4th's",
    f"{CARD} --contract h --sender opener --heard pass": "leave --contract and --sender out",
    f"{CARD} --contract h --sender 3rd": "the Return 9h is missing in the hand of the 3rd",
    f"{CARD} --heard pass": "the calls are not over: the 2nd has yet to speak",
    f"{CARD} --heard 'take h' --lap 1": "--lap is for calls",
    f"{CARD} --record -": "--record holds the cards, places, calls",
    f"{LATER} 'As As'": "As is named twice",
    f"{LATER} 'As Zs'": "'Zs' is not a card",
    f"{LATER} 'As Ks'": "trick 1: the 2nd cannot have played Ks: the 3rd has it",
    f"{LATER} 'As 4s 9h'": "trick 1: the 3rd cannot have played 9h: the opener has it",
    f"{LATER.replace('opener', '2nd')} 'Ah 4s'": "trick 1: the 2nd cannot have played 4s: they",
    f"{LATER} 'As 4c Ks 5s 6s 7s, 4h 8s'": "trick 1: the 2nd cannot have played 4c",
    f"{LATER.replace('7h', '7h 5d')} 'As 4s'": "9 cards in hand: the 3rd",
    f"{LATER.replace('7h', '9h')} 'As 4s'": "the Return 9h is in the hand of the 3rd, but the open",
    f"{CARD} --bidding auction --contract '120 h' --sender opener": "with auctions there is no Ret",
    "odds 7h Ks 4d Qd 9s 8c Tc Jc --bidding auction --played As --contract '115 h' --sender "
    "opener": "amount: 115 is not",
    "page 7h Ks 4d Qd 9s 8c Tc Jc --return 9h --played ''": "the contract is missing",
    # odds and review: records
    f"{RECORD} --at 9.1": "'--at': '9.1' is neither a trick, 1 to 8, and a card of it",
    f"{RECORD} --line 21 --at 3.2": "--line 21: there is no record on that line",
    f"{RECORD} --heard pass": "leave these out",
    RECORD: "the record's round is over",
    "review": "FILE",
    "review golden/capot.jsonl --teams 3": "--teams",
    "review golden/capot.jsonl --policy greedy": "--policy",
    "review golden/capot.jsonl --by nothing": "--by nothing: there is no such column",
    "review --policy greedy --grade games": "whole games: give --games",
    "review golden/capot.jsonl --seat 6": "--seat",
    "review golden/capot.jsonl --seat 3": "write 3rd or seat3",
    "review golden/capot.jsonl --line 400": "--line 400",
    "review golden/capot.jsonl --time 0": "'--time': '0' is not a number above 0",
    # report, show, check, policies
    "report --out golden": "golden is not empty",
    "report --out x --compare standard": "--compare standard alone: name two policies or more",
    "show --opponents random": "--against",
    "show --against random": "--policy SPEC",
    "show --against random --policy team0=greedy": "--policy SPEC",
    "show --against a --policy b --impose opener:h": "--against and --impose: give one of them",
    "show golden/capot.jsonl --against random": "--against",
    "show golden/capot.jsonl --teams 3": "--teams",
    "show --line 3": "FILE",
    "policies radnom": "radnom",
    "policies show radnom": "did you mean 'random'?",
    "policies check nothing": "no policy 'nothing'; known: ",
    "policies show bold:taek=3": "no parameter 'taek'; did you mean 'take'",
    "policies show random:take": "parameter=value",
    "policies show random:=3": "parameter=value",
    "policies show random:take=1,,bid=2": "parameter=value",
    "policies show random:take=often": "take=often: it should be a number from 0 to 1",
    "policies show random+": "empty",
    "policies show nowhere.toml": "nowhere.toml: no such file",
    "policies show nowhere.py:name": "nowhere.py: no such file",
    "policies show ./c++/nowhere.py:name": "c++/nowhere.py: no such file",
    "check golden/capot.jsonl --replay --allow nowhere.py": "--allow: 'nowhere.py': no such file",
    "check golden/capot.jsonl --allow nowhere.py": "--allow is for --replay",
    **{words: named for shared in SHARED.values() for words, named in shared.WRONG_USAGE.items()},
}
"""A command line, and what its line names: the argument, and often what to write instead."""

FAILURES = {
    "simulate --config nowhere.toml": "nowhere.toml: No such file",
    **{
        f"simulate --deals 1e15 --{option} no/{file}": f"no/{file}: "
        for option, file in {
            "out": "a.csv",
            "rows": "a.csv",
            "plot": "a.png",
            "checkpoint": "a.npz",
        }.items()
    },
    "compare random greedy --deals 1e15 --out no/a.csv": "no/a.csv: ",
    "report --out no/no --deals 1e15": "no does not exist",
    "check nowhere.jsonl": "nowhere.jsonl: No such file",
    "check golden/capott.jsonl": "did you mean golden/capot.jsonl?",
    "show nowhere.jsonl": "nowhere.jsonl: No such file",
    "show golden/capot.jsonl --line 900": "no record on line 900",
    "records --from -": "- has no records",
    "odds --record -": "not a line of JSON",
}
"""Files that are missing or cannot be written: status 1, before anything is played."""

CONFIGURATION = {
    "team = 3": "did you mean teams?",
    "simulate = 5": "write [simulate]",
    "teams = ": "is not TOML",
    "teams = 5": "5 is not one of '2', '3'",
    "deals = -5": "whole number of 1 or more",
    "deals = true": "deals is a single value",
    "deals = [1, 2]": "deals is a single value",
    "must_outscore = 1": "must_outscore is true or false",
    "[simulate]\ndeal = 5": "[simulate] deal is not an option: did you mean deals?",
    "[simulate]\ntrump = 5": "did you mean all_no_trump?",
    "[simulate]\nxyz = 5": "[simulate] xyz is not an option: --help-all lists them",
    "[simulat]\ndeals = 5": "did you mean simulate?",
    "[odds]\npartners_to = 5": "did you mean partners_at?",
    "[policies]\ndeal = 5": "[policies] deal is not an option: did you mean deals?",
    "[policies.check]\ndeal = 5": "[policies.check] deal is not an option: did you mean deals?",
}
"""A file of `--config`, and what the line names."""

VARIABLES = {
    "KQJ_SIM_SIMULATE_DEAL": "that of `simulate --deals` is KQJ_SIM_SIMULATE_DEALS",
    "KQJ_SIM_THREADS": "KQJ_SIM_THREADS sets no option",
    "KQJ_SIM_POLICIES_CHECK_SEEDS": "KQJ_SIM_POLICIES_CHECK_SEEDS sets no option",
    "KQJ_SIM_DEBUGS": "KQJ_SIM_DEBUGS sets no option",
}
"""A variable of the environment that sets no option, and what the line names."""

HAND_OF = '"9h 8h Ah Ks 4d", return_card="7h"'
FUNCTIONS = {
    "page('9h 9h')": "9h is named twice",
    "page(max_amount=500, bidding='auction')": "the page knows two or three teams",
    "simulate(deals=0)": "`deals`: '0' is not a whole number of 1 or more",
    "simulate(deals=True)": "`deals`: 'True' is not a whole number of 1 or more",
    "simulate(deals=float('nan'))": "`deals`: 'nan' is not a whole number of 1 or more",
    "simulate(deals='1,500 k')": "`deals`: 1,500 k can mean 1500 or 1500000",
    "simulate(seed=-1)": "`seed`: '-1' is not a whole number of 0 or more",
    "simulate(columns='deal')": "`columns` is for `rows`: name the file",
    "simulate(rows='a.csv', columns='deel')": "there is no column 'deel': did you mean deal?",
    "simulate(rows='a.csv', columns='game')": "it needs `games=1000`",
    "simulate(rows='a.csv', columns=[])": "no column is named",
    "simulate(by='sender_hand')": "cannot be grouped by: it holds cards",
    "simulate(policy={'seat7': 'greedy'})": "`policy` seat7=greedy: the seats are seat0 to seat5",
    "simulate(policy={'team0': ''})": "names no policy",
    "simulate(policy=['greedy'] * 4)": "4 policies: give one, one for each seat",
    "simulate(policy=[])": "0 policies",
    "simulate(policy=7)": "'7' is not a policy",
    "simulate(teams=4)": "teams cannot be 4: use 2 or 3",
    "simulate(threads=2)": "argument 'threads': write runner=kqj_sim.Runner(threads=...)",
    "simulate(team=3)": "simulate() got an unexpected keyword argument 'team': did you mean teams",
    "simulate(rules=KqjRules(), teams=3)": "rules and teams: give one of them",
    "solve(at='c.2', policy='greedy')": "name a card, such as 3.2; calls are for `odds`",
    "choose('9h 8h Ah')": "3 cards given: with taking you hold 5",
    "choose(at='3.2')": "`at` is for `record`: leave it out, or give a record",
    "choose('9h 8h Ah Ks 4d', return_card='7h', policy='greedi')": "did you mean 'greedy'?",
    "solve(contracts=True, policy='greedy')": "`contracts` and `policy`: give one of them",
    "solve(b'Contract: h by 2nd', turns=True)": "is not known in full",
    "solve(deals=0)": "`deals`: '0' is not a whole number of 1 or more",
    "solve(deals=3, at='7.1')": "`deals` and `at`: give one of them",
    "solve(deals=3, cards=9)": "`cards`: '9' is not a whole number from 1 to 8",
    "solve(deals=3, rows='a.txt')": "let it end in .parquet or .csv",
    "solve(cards=3)": "`cards` is for `deals`: say how many",
    "solve(line=2)": "`line` is for a `file` of records: name the file",
    "equity(pending=120)": "`pending` is for `scores`: leave it out, or give the scores",
    "equity(scores=(640,))": "`scores`: each of 2 teams has a score",
    "equity(scores=(640, 885))": "`scores`: 885 is not a multiple of 10 below the target of 1000",
    "equity(partners='random')": "give `scores`, one of each player",
    "equity(teams=3, target=5000)": "known up to a target of 2,000",
    "equity(policy='never', deals=240)": "these players never score",
    "equity(deals=200)": "`deals`: '200' is not a whole number of 240 or more",
    f"odds({HAND_OF}, scores='640')": "`scores`: each of 2 teams has a score",
    "compare(['standard'])": "standard alone: name two policies or more",
    "compare([])": "a comparison needs two policies or more",
    "compare(['standard', 'greedy'], 'random')": "is not a policy",
    "compare('standard', 7)": "'7' is not a policy",
    "sweep('standard', [])": "nothing varies",
    "sweep('standard', {})": "nothing varies",
    "sweep('standard', {'take': []})": "take has no values",
    "sweep('standard', {'tak': [1, 2]})": "did you mean 'take'",
    "sweep('standard', {'take': [1, 1]})": "the value 1 is given twice",
    "sweep('standard', {'take': [1, None]})": "take=None: it should be a number",
    "sweep('standard', {'take': None})": "take=None: it should be a number",
    "sweep('standard', {1: [1, 2]})": "no parameter '1'",
    "tune('standard', [])": "nothing to search: name parameters",
    "tune('standard', 'take', generations=0)": "`generations`: '0' is not a whole number of 1",
    "tune('standard', 'take', confirm=1)": "`confirm`: '1' is not a whole number of 2 or more",
    f"odds({HAND_OF}, place=6)": "`place`: 6 is not a place",
    f"odds({HAND_OF}, lap=3)": "`lap`: it is 1 or 2, not 3",
    f"odds({HAND_OF}, precision='5')": "`precision`: '5' is not between 0 and 1",
    "Runner(threads=0)": "`threads`: '0' is not a whole number of 1 or more",
    "Runner(threads='1.000')": "`threads`: 1.000 can mean 1 or 1000",
    f"odds({HAND_OF}, runner=Runner(cluster='tcp://none:1'))": "cluster: odds runs in threads only",
    "odds(record='none.json')": "none.json",
    "show(deal=-1)": "`deal`: '-1' is not a whole number of 0 or more",
    "report('x', chart_deals=-1)": "`chart_deals`: '-1' is not a whole number of 0 or more",
    "review()": "`records` is missing: name a file of records",
    "review('none.jsonl')": "none.jsonl",
    "review(policy='greedy', deals=1, samples=0)": "`samples`: '0' is not a whole number of 1",
    "review(policy='greedy', deals=1, worst=-1)": "`worst`: '-1' is not a whole number of 0",
    "review(policy='greedy', deals=1, seat='nobody')": "`seat`: 'nobody' is not a player",
    "review('none.jsonl', teams=3)": "`rules` is for rounds that are played",
    # Values of other types.
    "simulate(by=3)": "`by`: it is a text or a list, not int",
    "simulate(where=['made'])": "`where`: it is a text, not list",
    "simulate(rows=3)": "`rows`: it is the path of a file, not int",
    "simulate(rules={'teams': 3})": "rules: it is KqjRules(...)",
    "simulate(game=['kqj'])": "`game`: it is a text, not list",
    "sweep('points', 3)": "`vary`: it is a text or a list, not int",
    "tune('points', 'take', opponents='greedy', save=3)": "`save`: it is the path of a file",
    "odds(9)": "`hand`: it is a text or a list, not int",
    "odds('9h 8h Ah Ks 4d', return_card='7h', place=['3rd'])": "`place`: it is a text, not list",
    "odds('9h 8h Ah Ks 4d', return_card='7h', heard=3)": "`heard`: it is a text or a list, not int",
    "odds('7h Ks 4d Qd 9s 8c Tc Jc', return_card='9h', contract=3, sender=0, played='As')": (
        "`contract`: it is a text, not int"
    ),
    "review(policy='greedy', deals=1, seat=[2.5])": "`seat`: '2.5' is not a player",
    "review(policy='greedy', seat=1.5)": "`seat`: it is a text or a list, not float",
    "review(policy='greedy', ignore_calls='no')": "`ignore_calls`: it is True or False, not 'no'",
    "report('out', title=3)": "`title`: it is a text, not int",
    "check('none.jsonl')": "none.jsonl",
    "check([1])": "int is not a record: give records, as of kqj.records(), or the path of a file",
    "check(1)": "int is not a record",
    "check({'game': 'kqj'})": "dict is not a record",
    "check('none.jsonl', replay=True, allow=3)": "`allow`: it is a text or a list, not int",
    "review(1)": "int is not a record",
    "review([{'game': 'kqj'}])": "dict is not a record",
    "odds(record={'game': 'kqj'})": "dict is not a record",
    "records(source=1)": "`source`: it is the path of a file, not int",
    "check_policy('gredy')": "did you mean 'greedy'?",
    "check_policy('greedy', deals=0)": "`deals`: '0' is not a whole number of 1 or more",
    "Experiment(deals=0)": "deals is 0",
    "Experiment(deals=2**60 + 1)": "deals is 1152921504606846977: it should be 1 to",
    "Experiment(deals=1e5)": "deals is 100000.0: it should be a whole number",
    "simulate(deals=64).render('pdf')": "format: it is table or csv or json or markdown or parquet",
    "Experiment(seed=2**63)": "seed is 9223372036854775808: it should be 0 to",
    "Experiment(games=0)": "games is 0",
    "Experiment(games=1, first=2**60)": "first is 1152921504606846976: it should be 0 to",
    "Experiment(players=('random',) * 5)": "5 policies: there should be one a seat, six",
    "Experiment(players=('radnom',) * 6)": "did you mean 'random'",
    "KqjRules(teams='2')": "teams cannot be '2': did you mean 2?",
    "KqjRules(bidding='acution')": "bidding cannot be acution: did you mean auction?",
    "KqjRules(must_outscore=1)": "must_outscore cannot be 1: use False or True",
    "KqjRules(teams=3, max_amount=70)": "max_amount 70 is below the first bid",
    "KqjRules(target=5)": "target is a positive multiple of 10",
    "hand('9x')": "'9x' is not a card",
    "hand(5)": "hand(): cards should be a text such as '9h 8h', not 5",
    "cards_text('x')": "cards_text(): cards should be a set of cards, as of hand('9h 8h'), not 'x'",
    "cards_text(-1)": "cards_text(): cards should be a set of cards",
    "cards_text(1 << 15)": "cards_text(): 0x8000 is not a set of cards of kqj",
    "cards_text(1, contract='x')": "cards_text(): contract should be one of s h d c NT AT, not x",
    "count('5')": "count(): cards should be a set of cards",
    "has(5, [])": "has(): cards should be a set of cards",
    "has('9h', '9h')": "has(): view should be the view that a policy gets, not '9h'",
    "suit(5, 4)": "suit(): number should be 0 to 3, not 4",
    "in_view(5, 1)": "in_view(): view should be the view that a policy gets, not 5",
    "lowest('9h')": "lowest(): cards should be a set of cards",
    "highest([1])": "highest(): cards should be a set of cards, as of hand('9h 8h'), not [1]",
    "cheapest(None, 1)": "cheapest(): view should be",
    "dearest(None, 1)": "dearest(): view should be",
    "random_card(None, 1)": "random_card(): view should be",
    "card_points(5, 1)": "points(): view should be",
    "bid_code(120.5, 1, False)": "bid_code(): amount should be a whole number, not 120.5",
    "policy('a b')": "policy name 'a b' should be letters, digits",
    "policy('x', take='y')": "parameter take should have a number as its default",
    "policy('x', take=float('nan'))": "parameter take: default nan: it should be a number",
    "policy('x', policy=1)": "cannot be called 'policy'",
    "policy('x', **{'class': 1})": "cannot be called 'class'",
    "named('pimc', ('greedy',))": "should be greedy",
    "number(2, '', 0, 1)": "default 2: it should be a number from 0 to 1",
    "whole(1.5)": "default 1.5: it should be a whole number",
    "named('a', ('b',))": "default a: it should be b",
    **{call: named for shared in SHARED.values() for call, named in shared.WRONG_CALLS.items()},
}
"""A call of a public function, and what its error names."""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with the rounds of `tests/golden` in `golden`."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "golden").symlink_to(GOLDEN)
    return tmp_path


STATUS = {**dict.fromkeys(USAGE, 2), **dict.fromkeys(FAILURES, 1)}


@pytest.mark.parametrize(("words", "named"), (USAGE | FAILURES).items(), ids=STATUS)
def test_wrong_input_to_a_command_is_one_line(words: str, named: str, folder: Path) -> None:
    line = expect_error(run(*shlex.split(words), input=""), STATUS[words])
    assert named in line
    assert len(line) < 400 and line.removesuffix("\n").isprintable()
    assert [path.name for path in folder.iterdir()] == ["golden"]


@pytest.mark.parametrize("words", find_commands())
def test_every_command_names_what_is_missing_or_unknown(words: str) -> None:
    assert "'--nothing-alike'" in expect_error(run(*words.split(), "--nothing-alike"))
    for parameter in find_commands()[words].params:
        if parameter.required:
            is_option = isinstance(parameter, click.Option)
            named = parameter.opts[0] if is_option else parameter.metavar
            assert f"'{named}'" in expect_error(run(*words.split()))
            break


@pytest.mark.parametrize(("text", "named"), CONFIGURATION.items(), ids=CONFIGURATION)
def test_wrong_configuration_is_one_line(text: str, named: str, folder: Path) -> None:
    (folder / "kqj.toml").write_text(text)
    assert named in expect_error(run("simulate", "--config", "kqj.toml"))


@pytest.mark.parametrize(("variable", "named"), VARIABLES.items(), ids=VARIABLES)
def test_unknown_variable_is_one_line(variable: str, named: str) -> None:
    assert named in expect_error(run("columns", env={variable: "1"}))


@pytest.mark.parametrize(("call", "named"), FUNCTIONS.items(), ids=FUNCTIONS)
def test_wrong_input_to_a_function_is_one_line(call: str, named: str) -> None:
    names = {name: getattr(kqj_sim, name) for name in kqj_sim.__all__}
    line = read_error(eval, call, names, kind=(ValueError, TypeError, OSError))
    assert named in line and not re.search(r"--\w", line)


def test_every_public_function_has_a_case() -> None:
    called = {re.match(r"\w+", call)[0] for call in FUNCTIONS}  # type: ignore[index]
    functions = {
        name
        for name in kqj_sim.__all__
        if callable(getattr(kqj_sim, name)) and name[0].islower() and name != "flag"
    }
    assert functions <= called
