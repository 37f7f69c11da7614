# SPDX-License-Identifier: Apache-2.0
"""Machines as dictionaries, in the shape of their files: machine["core"]["warp_size"].

JSON is YAML, so a dictionary becomes a machine file as it is; what it may hold is for warpfold's parser to say.
"""

import contextlib
import hashlib
import json
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path

from .program import Error, call


def machine(name, warpfold=None):
    """All values of a machine, by its name or file, as warpfold has read them."""
    values = {}
    for row in call("machines show", name, warpfold=warpfold):
        *sections, key = row["key"].split(".")
        inner = values
        for section in sections:
            inner = inner.setdefault(section, {})
        inner[key] = row["value"]
    return values


def check(values, warpfold=None):
    """All values of the machine that a dictionary describes; Error where it describes none."""
    with as_option(values) as path:
        return machine(path, warpfold)


def save(values, path, warpfold=None):
    """Checks the values and writes them as a machine file, whose name is the machine's."""
    check(values, warpfold)
    Path(path).write_text(json.dumps(values, indent=1) + "\n")
    return path


@contextlib.contextmanager
def as_option(given):
    """What --machine takes: of dictionaries, files that are there for as long as this lasts, named by their content."""
    with tempfile.TemporaryDirectory(prefix="warpfold-") as folder:

        def option(one):
            if not isinstance(one, Mapping):
                return one
            text = json.dumps(one, indent=1)
            path = Path(folder) / f"values-{hashlib.sha256(text.encode()).hexdigest()[:8]}.yaml"
            path.write_text(text)
            return str(path)

        try:
            yield [option(one) for one in given] if isinstance(given, (list, tuple)) else option(given)
        except Error as error:  # of a file that nobody has seen
            place = re.escape(folder) + r"/[\w-]+\.yaml(:\d+:\d+)?"
            raise Error(re.sub(place, "machine", str(error)), error.answer) from None
