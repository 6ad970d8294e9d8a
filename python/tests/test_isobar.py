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

    def test_errors_name_the_culprit(self):
        with self.assertRaisesRegex(FileNotFoundError, "is not a run folder"):
            isobar.read_run(self.folder)
        with self.assertRaisesRegex(FileNotFoundError, "5m.arrow.*1h"):
            isobar.catalog(self.folder / "data").bars("PYUSDT", "5m")
        with self.assertRaisesRegex(isobar.IsobarError, "nosuch"):
            isobar.backtest("nosuch.yaml", cwd=self.folder, program=PROGRAM)


if __name__ == "__main__":
    unittest.main()
