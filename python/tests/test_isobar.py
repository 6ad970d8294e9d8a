"""Makes runs with the built command and reads them back. ISOBAR_PROGRAM is the path of dist/cli/isobar.js."""

import csv
import os
import subprocess
import sys
import tempfile
import unittest
from decimal import Decimal
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
import isobar

ROOT = Path(__file__).parents[2]
PROGRAM = ("node", os.environ.get("ISOBAR_PROGRAM", str(ROOT / "dist" / "cli" / "isobar.js")))
DEFINITION = """name: py
strategy: {strategy}
params: {{ fast: 10, slow: 30 }}
feeds:
  bars: {{ symbol: PYUSDT, interval: 1h }}
from: 2024-01-01
to: 2024-03-01
cash: {{ USDT: '10000' }}
"""


class Reading(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.place.name)
        make = [*PROGRAM, "data", "generate", "--symbol", "PYUSDT", "--interval", "1h", "--from", "2024-01-01", "--bars", "1440", "--seed", "7"]
        subprocess.run(make, cwd=cls.folder, check=True, capture_output=True)
        (cls.folder / "py.yaml").write_text(DEFINITION.format(strategy=ROOT / "strategies" / "smaCross.ts"))
        cls.run_ = isobar.backtest("py.yaml", params={"fast": 12}, cwd=cls.folder, program=PROGRAM)

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    def test_a_parameter_reaches_the_strategy(self):
        self.assertEqual(self.run_.summary["run"]["strategy"]["params"], {"fast": 12, "slow": 30})

    def test_the_hash_follows_from_the_files(self):
        self.assertEqual(self.run_.result_hash(), self.run_.summary["resultHash"])

    def test_a_changed_fill_changes_the_hash(self):
        run = isobar.read_run(self.run_.folder)
        _, rows = run._csv("fills.csv")
        rows[0][6] = "1"
        self.assertNotEqual(run.result_hash(), run.summary["resultHash"])

    def test_money_is_exact_and_keeps_its_digits(self):
        self.assertGreater(len(self.run_.trades), 0)
        with open(self.run_.folder / "trades.csv", newline="") as file:
            for text, trade in zip(csv.DictReader(file), self.run_.trades, strict=True):
                self.assertIsInstance(trade["pnl"], Decimal)
                self.assertEqual(format(trade["pnl"], "f"), text["pnl"])
                self.assertEqual(str(trade["entry_ms"]), text["entry_ms"])

    def test_an_empty_cell_is_none_and_a_flag_is_a_bool(self):
        order = self.run_.orders[0]
        self.assertIsNone(order["parent_id"])
        self.assertIs(order["reduce_only"], False)

    def test_equity_and_bars(self):
        self.assertEqual(self.run_.equity.column_names, ["time_ms", "equity"])
        bars = isobar.catalog(self.folder / "data").bars("PYUSDT", "1h")
        self.assertEqual(bars.num_rows, 1440)
        self.assertEqual(bars.column_names[:6], ["open_time", "open", "high", "low", "close", "volume"])

    def test_trades_are_exact_over_days_of_other_digits(self):
        rows = self._imported_trades()
        table = isobar.catalog(self.folder / "data").trades("PYUSDT")
        read = [(row["id"], row["price"], row["quantity"], row["taker_side"]) for row in table.to_pylist()]
        self.assertEqual(read, [(int(one[0]), Decimal(one[1]), Decimal(one[2]), -1 if one[5] == "true" else 1) for one in rows])
        self.assertEqual([int(row["time"].timestamp() * 1000) for row in table.to_pylist()], [int(one[4]) for one in rows])
        days = isobar.catalog(self.folder / "data").trades("PYUSDT", start="2024-01-02", end="2024-01-02")
        self.assertEqual(days["id"].to_pylist(), [5, 9007199254740991])
        with self.assertRaisesRegex(ValueError, "2024-01-01 to 2024-01-02"):
            isobar.catalog(self.folder / "data").trades("PYUSDT", start="2025-01-01")
        with self.assertRaisesRegex(ValueError, "start: expected a UTC day"):
            isobar.catalog(self.folder / "data").trades("PYUSDT", start="yesterday")

    def _imported_trades(self):
        """Imports four trades of two days, of which the first needs more digits, and returns them."""
        rows = [
            ["1", "100.5", "0.12345678", "0", "1704067200000", "true", "true"],
            ["2", "99999.99", "7", "0", "1704067201000", "false", "true"],
            ["5", "100", "3", "0", "1704153601000", "false", "true"],
            ["9007199254740991", "101", "4", "0", "1704153602000", "true", "true"],
        ]
        (self.folder / "trades.csv").write_text("".join(",".join(row) + "\n" for row in rows))
        self._import("trades.csv", "--as", "trades", "--symbol", "PYUSDT")
        return rows

    def test_series_have_both_times_and_revisions(self):
        (self.folder / "oi.csv").write_text("t,k,v\n2024-01-01T00:00:00Z,2024-01-01T00:05:00Z,10.5\n2024-01-01T00:00:00Z,2024-01-01T00:30:00Z,12\n")
        self._import("oi.csv", "--as", "series", "--name", "openInterest", "--time", "t", "--known-at", "k", "--symbol", "PYUSDT")
        table = isobar.catalog(self.folder / "data").series("openInterest", symbol="PYUSDT")
        self.assertEqual(table.column_names, ["known_at", "time", "value"])
        self.assertEqual(table["value"].to_pylist(), [10.5, 12.0])
        self.assertEqual([one.minute for one in table["known_at"].to_pylist()], [5, 30])
        with self.assertRaisesRegex(FileNotFoundError, "openInterest@PYUSDT"):
            isobar.catalog(self.folder / "data").series("openInterest")

    def test_funding_of_a_contract(self):
        (self.folder / "funding.csv").write_text("time,rate\n1704067200000,0.0001\n1704096000000,-0.0002\n")
        self._import("funding.csv", "--as", "funding", "--symbol", "E-PY-USDT")
        table = isobar.catalog(self.folder / "data").funding("E-PY-USDT")
        self.assertEqual(table.num_rows, 2)
        with self.assertRaisesRegex(FileNotFoundError, "mark-1h.arrow is not there; mark prices of E-PY-USDT: none"):
            isobar.catalog(self.folder / "data").mark_bars("E-PY-USDT", "1h")

    def _import(self, *words):
        subprocess.run([*PROGRAM, "data", "import", *words], cwd=self.folder, check=True, capture_output=True)

    def test_errors_name_the_culprit(self):
        with self.assertRaisesRegex(FileNotFoundError, "is not a run folder"):
            isobar.read_run(self.folder)
        with self.assertRaisesRegex(FileNotFoundError, "5m.arrow.*1h"):
            isobar.catalog(self.folder / "data").bars("PYUSDT", "5m")
        with self.assertRaisesRegex(isobar.IsobarError, "nosuch"):
            isobar.backtest("nosuch.yaml", cwd=self.folder, program=PROGRAM)


if __name__ == "__main__":
    unittest.main()
