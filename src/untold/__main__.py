"""`python -m untold` is the command `untold`."""

import sys

from untold.cli import main

sys.exit(main())
