"""Runs an SMA cross in backtesting.py and in vectorbt: cases as JSON on standard input, trades and equity as JSON on standard output.

A case has columns openMs, open, high, low, close, volume, and market, fast, slow, size, fee, cash. On spot it buys at a cross up and sells at
a cross down; on futures it turns from short to long and back. A trade is [entryMs, exitMs, entryPrice, exitPrice, size, pnl], of a short
trade with a size below 0; equity is that of the close of each bar.
"""

import json
import sys
import warnings

import numpy as np
import pandas as pd

warnings.filterwarnings("ignore")


def frame_of(case):
    index = pd.to_datetime(np.array(case["openMs"], dtype="int64"), unit="ms").astype("datetime64[ns]")
    return pd.DataFrame({name.title(): np.array(case[name], dtype="float64") for name in ("open", "high", "low", "close", "volume")}, index=index)


def ms(time):
    return int(pd.Timestamp(time).value // 1_000_000)


def backtesting(case):
    from backtesting import Backtest, Strategy
    from backtesting.lib import crossover

    def average(values, length):
        return pd.Series(values).rolling(length).mean()

    class Cross(Strategy):
        def init(self):
            self.fast = self.I(average, self.data.Close, case["fast"])
            self.slow = self.I(average, self.data.Close, case["slow"])

        def next(self):
            if crossover(self.fast, self.slow):
                self.position.close()
                self.buy(size=case["size"])
            elif crossover(self.slow, self.fast):
                self.position.close()
                if case["market"] == "futures":
                    self.sell(size=case["size"])

    stats = Backtest(frame_of(case), Cross, cash=case["cash"], commission=case["fee"]).run()
    trades = [
        [ms(trade.EntryTime), ms(trade.ExitTime), trade.EntryPrice, trade.ExitPrice, float(trade.Size), trade.PnL]
        for trade in stats["_trades"].itertuples()
    ]
    return {"trades": trades, "equity": stats["_equity_curve"]["Equity"].tolist()}


def vectorbt(case):
    import vectorbt as vbt

    frame = frame_of(case)
    fast, slow = vbt.MA.run(frame.Close, case["fast"]), vbt.MA.run(frame.Close, case["slow"])
    # An order that is decided at a close fills at the next open.
    entries, exits = (signal.shift(1, fill_value=False) for signal in (fast.ma_crossed_above(slow), fast.ma_crossed_below(slow)))
    down = -case["size"] if case["market"] == "futures" else 0
    wanted = pd.Series(np.nan, index=frame.index).mask(entries, case["size"]).mask(exits, down)
    portfolio = vbt.Portfolio.from_orders(
        frame.Close, wanted, size_type="targetamount", price=frame.Open, fees=case["fee"], init_cash=case["cash"], freq="1h"
    )
    records = portfolio.trades.closed.records
    trades = [
        [
            ms(frame.index[trade.entry_idx]),
            ms(frame.index[trade.exit_idx]),
            trade.entry_price,
            trade.exit_price,
            trade.size if trade.direction == 0 else -trade.size,
            trade.pnl,
        ]
        for trade in records.itertuples()
    ]
    return {"trades": trades, "equity": portfolio.value().tolist()}


cases = json.load(sys.stdin)
json.dump([{"backtesting.py": backtesting(case), "vectorbt": vectorbt(case)} for case in cases], sys.stdout)
