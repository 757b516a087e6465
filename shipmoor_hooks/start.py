"""The file that our shims start: `python -I -S .../shipmoor_hooks/start.py --shim PATH STAGE ...`.

`-S` leaves out the search for libraries, which costs half of Python's own start; the package is found by this file's place,
behind the standard library. What needs libraries loads them (hook.load_site).
"""

import gc
import os
import sys

if __name__ == "__main__":
    gc.set_threshold(50_000)  # most of these processes end before they leave a circle behind
    sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    from shipmoor_hooks.hook import program

    program()
