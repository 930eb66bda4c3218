#!/bin/sh
# Make .venv with the newest Python that will do, and install the program and its tools into it.
set -eu

usable() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }
has_venv() { "$1" -c 'import ensurepip, venv' 2>/dev/null; }

# pyenv has a python3.13 on the path that says no unless that version was chosen: look where it keeps them.
pyenv=${PYENV_ROOT:-$HOME/.pyenv}/versions

find_python() {
    new_enough=
    for python in ${PYTHON:-python3.13 $pyenv/3.13*/bin/python python3.12 $pyenv/3.12*/bin/python python3.11 python3}; do
        usable "$python" || continue
        new_enough=${new_enough:-$python}
        if has_venv "$python"; then
            echo "$python"
            return
        fi
    done
    if [ -z "$new_enough" ]; then
        echo "Python 3.11 or newer is needed: install it, or name it with make PYTHON=/path/to/python3" >&2
        return 1
    fi
    # Debian keeps venv in a package of its own.
    "$new_enough" packaging/system_libraries.py --venv >&2
    echo "$new_enough"
}

# A .venv that works is kept: after an edit of pyproject.toml pip only adds what is new.
if ! usable .venv/bin/python || ! .venv/bin/python -m pip --version >/dev/null 2>&1; then
    python=$(find_python)
    echo "Setting up .venv with $("$python" --version); this takes a minute or two the first time."
    "$python" -m venv --clear .venv
fi
.venv/bin/python -m pip install --quiet --disable-pip-version-check \
    --constraint packaging/constraints.txt --editable '.[dev]'
