"""The files of a run folder. docs/run-folder.md describes them."""

import csv
import hashlib
import json
import struct
from decimal import Decimal
from pathlib import Path

_WHOLE = {
    "order_id", "parent_id", "strategy", "trade", "trade_id", "fills",
    "created_ms", "arrived_ms", "done_ms", "time_ms", "entry_ms", "exit_ms",
}
_FLAGS = {"reduce_only", "was_unknown", "is_maker"}
_TEXT = {"instrument", "side", "role", "ending", "slot", "code", "fee_in", "fee_asset", "entry_tag", "exit_tag"}
_NOT_HASHED = {"slot", "code", "fee_asset"}
_CODES = {
    "side": ["buy", "sell"],
    "role": ["market", "limit", "takeProfit", "stopLoss", "trailing", "liquidation", "condition"],
    "ending": ["open", "denied", "notSent", "refused", "noEffect", "filled", "canceled", "rejected", "expired"],
    "fee_in": ["quote", "base"],
    **{flag: ["0", "1"] for flag in _FLAGS},
}
_NAN = struct.pack("<Q", 0x7FF8000000000000)


def _cell(column, text):
    if column in _TEXT:
        return text
    if text == "":
        return None
    if column in _FLAGS:
        return text == "1"
    return int(text) if column in _WHOLE else Decimal(text)


class Run:
    """A run folder. Each file is read when it is first asked for."""

    def __init__(self, folder):
        self.folder = Path(folder)
        if not (self.folder / "summary.json").is_file():
            raise FileNotFoundError(f"{self.folder} is not a run folder: it has no summary.json. Give a folder that isobar backtest wrote, such as runs/NAME")
        self._kept = {}

    def _once(self, name, read):
        if name not in self._kept:
            self._kept[name] = read()
        return self._kept[name]

    def _json(self, name):
        # Numbers with a point stay exact: a float would round them.
        return self._once(name, lambda: json.loads((self.folder / name).read_text("utf-8"), parse_float=Decimal))

    @property
    def summary(self):
        return self._json("summary.json")

    @property
    def manifest(self):
        return self._json("manifest.json")

    def _csv(self, name):
        def read():
            with open(self.folder / name, encoding="utf-8", newline="") as file:
                header, *rows = csv.reader(file)
            return header, rows
        return self._once(name, read)

    def _rows(self, name):
        header, rows = self._csv(name)
        return [{column: _cell(column, text) for column, text in zip(header, row, strict=True)} for row in rows]

    @property
    def trades(self):
        """Closed trades, one dict each. Money is Decimal, an empty cell None."""
        return self._rows("trades.csv")

    @property
    def orders(self):
        return self._rows("orders.csv")

    @property
    def fills(self):
        return self._rows("fills.csv")

    @property
    def equity(self):
        """A pyarrow.Table with time_ms and equity."""
        import pyarrow as pa

        def read():
            with pa.OSFile(str(self.folder / "equity.arrow")) as file:
                return pa.ipc.open_file(file).read_all()
        return self._once("equity.arrow", read)

    def frame(self, name):
        """trades, orders, fills or equity as a pandas DataFrame. Needs pandas."""
        if name not in ("trades", "orders", "fills", "equity"):
            raise ValueError(f"no table {name!r}: expected trades, orders, fills or equity")
        import pandas

        if name == "equity":
            return self.equity.to_pandas()
        header, _ = self._csv(f"{name}.csv")
        return pandas.DataFrame(getattr(self, name), columns=header, dtype=object)

    def result_hash(self):
        """The result hash computed from the files. It equals summary['resultHash'] when nothing was changed."""
        import pyarrow as pa

        sha = hashlib.sha256()
        codes = {**_CODES, "instrument": [one["id"] for one in self.summary["run"]["instruments"]]}
        for name in ("orders.csv", "fills.csv"):
            header, rows = self._csv(name)
            for at, column in enumerate(header):
                if column in _NOT_HASHED:
                    continue
                known = codes.get(column)
                for row in rows:
                    if known is not None:
                        sha.update(known.index(row[at]).to_bytes(2 if len(known) > 256 else 1, "little"))
                    else:
                        sha.update(_NAN if row[at] == "" else struct.pack("<d", float(row[at])))
        for column, kind in (("time_ms", pa.int64()), ("equity", pa.float64())):
            for value in self.equity[column].cast(kind).to_pylist():
                sha.update(struct.pack("<d", value))
        return sha.hexdigest()


def read_run(folder):
    return Run(folder)
