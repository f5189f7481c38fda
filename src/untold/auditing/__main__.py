"""`python -m untold.auditing` is the client in Python, as a program that `untold audit` can run."""

import sys

from untold.auditing.python_client import main

main(sys.stdin, sys.stdout)
