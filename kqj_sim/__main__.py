"""The program `kqj-sim`, run as `python -m kqj_sim`."""

from kqj_sim.signals import end_at_once, get_exit_status, handle_signals


def main() -> None:
    """Run the program; signals are handled before the libraries are imported."""
    handle_signals()
    try:
        from kqj_sim.cli import main as run_command

        run_command()
    except KeyboardInterrupt:
        end_at_once(get_exit_status())


if __name__ == "__main__":
    main()
