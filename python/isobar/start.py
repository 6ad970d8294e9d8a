"""Starts a backtest with the isobar command."""

import subprocess

from pathlib import Path

from .run_folder import Run


class IsobarError(Exception):
    """The command refused or failed. The text is what it printed."""


def backtest(what, params=None, set=None, out=None, cwd=".", program=("isobar",), timeout=None):
    """Runs a definition (or its demo, what='--demo') and returns its Run.

    params are the parameters of the strategy, set changes other keys of the definition.
    program is the command, for example ('npx', 'isobar').
    """
    command = [*program, "backtest", str(what), "--quiet"]
    changes = {**{f"params.{name}": value for name, value in (params or {}).items()}, **(set or {})}
    for key, value in changes.items():
        text = str(value).lower() if isinstance(value, bool) else str(value)
        command += ["--set", f"{key}={text}"]
    if out is not None:
        command += ["--out", str(out)]
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=timeout)
    if done.returncode != 0:
        raise IsobarError(done.stderr.strip() or done.stdout.strip() or f"isobar ended with {done.returncode}")
    return Run(Path(cwd) / done.stdout.strip().splitlines()[-1])
