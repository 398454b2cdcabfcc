"""One training run in a process of its own: settings come as a line of JSON on standard input.

The line's end does not close the pipe: it closes when the parent lets go, or dies. Then the run ends by SIGTERM, with a
checkpoint, so that no run outlives its experiment. (SIGINT would not do: shells let jobs in the background ignore it.)
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading


def main() -> int:
    wanted = json.loads(sys.stdin.readline())
    threading.Thread(target=_stop_with_the_parent, daemon=True).start()
    from cpt_model.training import Settings, Stopped, train

    try:
        train(Settings.from_dict(wanted), resume=True, progress=False)
    except Stopped as stopped:
        return stopped.code
    except KeyboardInterrupt:  # before training began
        return 130
    except (ValueError, OSError) as problem:
        print(f"{type(problem).__name__}: {problem}", file=sys.stderr)
        return 2
    return 0


def _stop_with_the_parent() -> None:
    sys.stdin.read()
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    sys.exit(main())
