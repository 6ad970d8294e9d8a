"""The bars of a catalog. docs/data.md describes the files."""

from pathlib import Path


class Catalog:
    def __init__(self, folder="data"):
        self.folder = Path(folder)
        if not self.folder.is_dir():
            raise FileNotFoundError(f"{self.folder} is not a folder: give the catalog, by default data in the project folder")

    def bars(self, symbol, interval, market="spot"):
        """A pyarrow.Table of bars; to_pandas() makes a DataFrame of it."""
        import pyarrow as pa

        # The file of a month has a name of its own: 1M and 1m are one file where case does not count.
        name = "1month" if interval == "1M" else interval
        path = self.folder / market / symbol / f"{name}.arrow"
        if not path.is_file():
            there = sorted(one.stem for one in path.parent.glob("*.arrow")) if path.parent.is_dir() else []
            raise FileNotFoundError(f"{path} is not there; intervals of {market} {symbol}: {', '.join(there) or 'none'}. isobar data import or isobar data resample makes it")
        with pa.OSFile(str(path)) as file:
            return pa.ipc.open_file(file).read_all()


def catalog(folder="data"):
    return Catalog(folder)
