"""`python -m untold` is the command `untold`."""

from untold.cli import run

run()
