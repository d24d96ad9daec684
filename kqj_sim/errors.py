"""The errors that people see: one line that says what is wrong and what would be right."""

from __future__ import annotations

from kqj_sim.messages import one_line


class InputError(ValueError):
    """Input that cannot be used; the text is one line that says what would be right.

    Example:
        >>> import kqj_sim as kqj
        >>> try:
        ...     kqj.simulate(policy="standart")
        ... except kqj.InputError as error:
        ...     print(error)
        no policy 'standart'; did you mean 'standard'?
    """

    def __init__(self, message: str) -> None:
        # It may quote a file, or a value of any length.
        super().__init__(one_line(message))


class RecordError(InputError):
    """A record, or a file of records, that cannot be read; commands end with status 1, not 2."""


class RunError(RuntimeError):
    """A run that cannot go on for another reason than its input; the text is one line."""

    def __init__(self, message: str) -> None:
        super().__init__(one_line(message))


class locate_errors:
    """Begin the text of an `InputError` within the block with an argument, a file or a line."""

    def __init__(self, place: str) -> None:
        self._place = place

    def __enter__(self) -> None:
        """Do nothing."""

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, InputError):
            raise type(error)(f"{self._place}: {error}") from None
