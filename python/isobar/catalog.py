"""The bars, trades, funding rates and series of a catalog. docs/data.md and docs/series.md describe the files."""

from datetime import date
from pathlib import Path


class Catalog:
    def __init__(self, folder="data"):
        self.folder = Path(folder)
        if not self.folder.is_dir():
            raise FileNotFoundError(f"{self.folder} is not a folder: give the catalog, by default data in the project folder")

    def bars(self, symbol, interval, market="spot"):
        """A pyarrow.Table of bars; to_pandas() makes a DataFrame of it."""
        # The file of a month has a name of its own: 1M and 1m are one file where case does not count.
        name = "1month" if interval == "1M" else interval
        path = self.folder / market / symbol / f"{name}.arrow"
        if not path.is_file():
            # The files of bars begin with a number. Mark prices and funding rates lie beside them.
            raise FileNotFoundError(f"{path} is not there; intervals of {market} {symbol}: {_names(path.parent, '[0-9]*.arrow')}. isobar data import or isobar data resample makes it")
        return _read(path)

    def mark_bars(self, symbol, interval):
        """A pyarrow.Table of the klines of a contract's mark price."""
        path = self.folder / "futures" / symbol / f"mark-{interval}.arrow"
        if not path.is_file():
            raise FileNotFoundError(f"{path} is not there; mark prices of {symbol}: {_names(path.parent, 'mark-*.arrow')}. isobar data import --as mark makes it")
        return _read(path)

    def funding(self, symbol):
        """A pyarrow.Table of the funding rates of a contract."""
        path = self.folder / "futures" / symbol / "funding.arrow"
        if not path.is_file():
            raise FileNotFoundError(f"{path} is not there. isobar data import --as funding makes it")
        return _read(path)

    def trades(self, symbol, market="spot", start=None, end=None):
        """A pyarrow.Table of trades, the oldest day first and each day in the order of its file: time, id, price, quantity, taker_side.

        price and quantity are exact decimals. taker_side is 1 for a buyer, -1 for a seller, 0 where it is unknown.
        start and end are UTC days, such as '2024-08-08' or a date; both are included.
        """
        import pyarrow as pa

        folder = self.folder / market / symbol / "trades"
        days = sorted(folder.glob("*.arrow")) if folder.is_dir() else []
        if not days:
            raise FileNotFoundError(f"{folder} has no trades. isobar data import --as trades makes it")
        first, last = _day("start", start, days[0].stem), _day("end", end, days[-1].stem)
        chosen = [path for path in days if first <= path.stem <= last]
        if not chosen:
            raise ValueError(f"no trades of {market} {symbol} from {first} to {last}: the catalog has {days[0].stem} to {days[-1].stem}")
        tables = [_read(path) for path in chosen]
        exact = [_exact_trades(table) for table in tables]
        # A day has the digits that it needs. The tables are joined at the finest ones.
        types = [max((table.schema.field(name).type for table in exact), key=lambda kind: kind.scale) for name in ("price", "quantity")]
        schema = pa.schema([*list(exact[0].schema)[:2], ("price", types[0]), ("quantity", types[1]), exact[0].schema.field("taker_side")])
        return pa.concat_tables([table.cast(schema) for table in exact])

    def series(self, name, symbol=None):
        """A pyarrow.Table of an external series, in the order in which its values became known: known_at, time, value."""
        path = self.folder / "series" / (f"{name}.arrow" if symbol is None else f"{name}@{symbol}.arrow")
        if not path.is_file():
            raise FileNotFoundError(f"{path} is not there; series of the catalog: {_names(path.parent, '*.arrow')}. isobar data import --as series makes it")
        return _read(path)


def _read(path):
    import pyarrow as pa

    with pa.OSFile(str(path)) as file:
        return pa.ipc.open_file(file).read_all()


def _names(folder, pattern):
    """The names of files, as an error lists them."""
    return ", ".join(sorted(path.stem for path in folder.glob(pattern))) or "none"


def _day(name, given, otherwise):
    """A day as YYYY-MM-DD."""
    if given is None:
        return otherwise
    try:
        return date.fromisoformat(str(given)).isoformat()
    except ValueError:
        raise ValueError(f"{name}: expected a UTC day such as '2024-08-08', got {given!r}") from None


def _exact_trades(table):
    """A day's trades with prices and quantities as decimals instead of whole numbers of units."""
    import pyarrow as pa

    columns = [table["time"], table["id"].cast(pa.int64())]
    for name in ("price", "quantity"):
        digits = int(table.schema.metadata[f"{name}_digits".encode()])
        # Units are whole numbers below 2^53. As decimals without digits they have the bytes of the decimals with digits.
        units = table[f"{name}_units"].cast(pa.int64()).cast(pa.decimal128(38, 0)).combine_chunks()
        columns.append(pa.Array.from_buffers(pa.decimal128(38, digits), len(units), units.buffers()))
    return pa.table([*columns, table["taker_side"]], names=["time", "id", "price", "quantity", "taker_side"])


def catalog(folder="data"):
    return Catalog(folder)
