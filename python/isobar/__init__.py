"""Reads the run folders and the catalog of isobar, and starts backtests."""

from .catalog import Catalog, catalog
from .run_folder import Run, read_run
from .start import IsobarError, backtest

__all__ = ["Catalog", "IsobarError", "Run", "backtest", "catalog", "read_run"]
