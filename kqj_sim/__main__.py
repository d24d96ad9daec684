"""The program `kqj-sim`, run as `python -m kqj_sim`."""

import gc
import os

from kqj_sim.signals import end_at_once, get_exit_status, handle_signals


def main() -> None:
    """Run the program; signals are handled before the libraries are imported."""
    handle_signals()
    # Importing the libraries creates hundreds of thousands of objects and no garbage: collecting as
    # often as Python does by default, and at the end, costs two fifths of a short run.
    gc.set_threshold(2_000_000, 10, 10)
    # No matrix here is large, and NumPy's idle threads would keep the other processors busy.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        from kqj_sim.cli import main as run_command

        run_command()
    except KeyboardInterrupt:
        end_at_once(get_exit_status())
    finally:
        gc.freeze()


if __name__ == "__main__":
    main()
