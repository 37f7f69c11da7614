# SPDX-License-Identifier: Apache-2.0
"""Warpfold from Python: runs, comparisons, studies and machines, for notebooks (docs/python.md).

Everything is asked of the `warpfold` program, which alone knows machines, mechanisms and options. It is the one that a
call names (`warpfold=`), else that of the environment variable WARPFOLD, of PATH, or of this checkout's build/release.
"""

from .machines import check, machine, save
from .program import Error
from .runs import Run, compare, run, study, tables

__all__ = ["Error", "Run", "check", "compare", "machine", "run", "save", "study", "tables"]
