"""What tests expect of errors that a person can cause: the words that are read on the screen."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from explorer.core.errors import ExplorerError
from explorer.sentences import sentence


@contextmanager
def refuses(match: str = "") -> Iterator[pytest.ExceptionInfo[ExplorerError]]:
    """Expect an `ExplorerError` whose sentence matches."""
    with pytest.raises(ExplorerError) as caught:
        yield caught
    said = sentence(caught.value)
    assert re.search(match, said), said
