"""The program `kqj-sim`, run as `python -m kqj_sim`."""

from kqj_sim.cli import main

main()
