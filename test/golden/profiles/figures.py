"""Computes the golden figures of the profiles with the real tools: python figures.py TOOL, in an environment that has the tool.

Reads inputs/*.json beside this file (runs of isobar: daily returns, bars, closed trades) and writes figures/TOOL.json. A figure is a number,
or a word: inf, -inf, nan, error. docs/profiles.md names the versions and how to make the environments.
"""

import importlib.metadata
import json
import math
import pathlib
import sys
import warnings

import numpy as np
import pandas as pd

warnings.filterwarnings("ignore")
np.seterr(all="ignore")
HERE = pathlib.Path(__file__).parent


def attempt(figure):
    """The figure as a number or a word."""
    try:
        value = figure()
        if isinstance(value, (pd.Timedelta,)):
            return value.total_seconds()
        value = float("nan") if value is pd.NaT or value is pd.NA else float(value)
    except Exception:  # whatever the tool raises
        return "error"
    if math.isnan(value):
        return "nan"
    return value if math.isfinite(value) else ("inf" if value > 0 else "-inf")


def numbers(values):
    """A column of numbers; null is NaN."""
    return np.array([np.nan if value is None else value for value in values], dtype="float64")


def returns_of(run):
    days = pd.to_datetime(run["returns"]["dayMs"], unit="ms").astype("datetime64[ns]")
    return pd.Series(numbers(run["returns"]["values"]), index=days)


def benchmark_of(run):
    days = pd.to_datetime(run["returns"]["dayMs"], unit="ms").astype("datetime64[ns]")
    return pd.Series(numbers(run["returns"]["benchmark"]), index=days)


def times(values):
    return pd.to_datetime(np.array(values, dtype="int64"), unit="ms").astype("datetime64[ns]")


def bar_rows(run, at):
    """The row of the bar that is open at each time: the last with an open at or before it."""
    opens = np.array(run["bars"]["openMs"], dtype="int64")
    return np.maximum(0, np.searchsorted(opens, np.array(at, dtype="int64"), side="right") - 1)


def quantstats(run):
    from quantstats import stats

    r = returns_of(run)
    names = """comp cagr expected_return volatility exposure rar sharpe smart_sharpe probabilistic_sharpe_ratio sortino smart_sortino
    adjusted_sortino omega gain_to_pain_ratio risk_return_ratio max_drawdown calmar ulcer_index ulcer_performance_index serenity_index
    recovery_factor var cvar tail_ratio outlier_win_ratio outlier_loss_ratio skew kurtosis win_rate profit_factor payoff_ratio profit_ratio
    avg_win avg_loss kelly_criterion risk_of_ruin common_sense_ratio cpc_index best worst consecutive_wins consecutive_losses"""
    figures = {name: attempt(lambda name=name: getattr(stats, name)(r.copy())) for name in names.split()}
    b = benchmark_of(run)
    for name in ("r_squared", "information_ratio", "treynor_ratio"):
        figures[name] = attempt(lambda name=name: getattr(stats, name)(r.copy(), b.copy()))
    for name in ("alpha", "beta"):
        figures[name] = attempt(lambda name=name: stats.greeks(r.copy(), b.copy())[name])
    return figures


def empyrical(run):
    import empyrical as tool
    from scipy import stats

    r = returns_of(run)
    names = """cum_returns_final annual_return max_drawdown calmar_ratio stability_of_timeseries annual_volatility sharpe_ratio
    sortino_ratio downside_risk omega_ratio tail_ratio value_at_risk conditional_value_at_risk"""
    figures = {name: attempt(lambda name=name: getattr(tool, name)(r.copy())) for name in names.split()}
    for name in ("skew", "kurtosis"):  # two of its SIMPLE_STAT_FUNCS
        figures[name] = attempt(lambda name=name: getattr(stats, name)(r.copy()))
    b = benchmark_of(run)
    for name in ("alpha", "beta", "excess_sharpe"):
        figures[name] = attempt(lambda name=name: getattr(tool, name)(r.copy(), b.copy()))
    return figures


def backtesting(run):
    from backtesting._stats import compute_stats

    trades, bars = run["trades"], run["bars"]
    index = times(bars["openMs"])
    close = numbers(bars["close"])
    frame = pd.DataFrame(
        {
            "Size": numbers(trades["quantity"]) * np.where(np.array(trades["isShort"]) == 1, -1, 1),
            "EntryBar": bar_rows(run, trades["entryMs"]),
            "ExitBar": bar_rows(run, trades["exitMs"]),
            "EntryPrice": numbers(trades["entryPrice"]),
            "ExitPrice": numbers(trades["exitPrice"]),
            "PnL": numbers(trades["pnl"]),
            "ReturnPct": numbers(trades["returnFraction"]),
            "EntryTime": times(trades["entryMs"]),
            "ExitTime": times(trades["exitMs"]),
        }
    )
    frame["Duration"] = frame["ExitTime"] - frame["EntryTime"]
    data = pd.DataFrame({"Open": close, "High": close, "Low": close, "Close": close}, index=index)
    names = """Exposure Time [%]|Equity Final [$]|Equity Peak [$]|Return [%]|Return (Ann.) [%]|Volatility (Ann.) [%]|CAGR [%]|Sharpe Ratio
    |Sortino Ratio|Calmar Ratio|Buy & Hold Return [%]|Beta|Alpha [%]|Max. Drawdown [%]|Avg. Drawdown [%]|Max. Drawdown Duration
    |Avg. Drawdown Duration|# Trades|Win Rate [%]|Best Trade [%]|Worst Trade [%]|Avg. Trade [%]|Max. Trade Duration|Avg. Trade Duration
    |Profit Factor|Expectancy [%]|SQN|Kelly Criterion"""
    try:
        stats = compute_stats(frame, numbers(bars["equity"]), data, None, 0)
    except Exception:
        return {name.strip(): "error" for name in names.split("|")}
    return {name.strip(): attempt(lambda name=name: stats[name.strip()]) for name in names.split("|")}


def vectorbt(run):
    import vectorbt as vbt
    from vectorbt.base.array_wrapper import ArrayWrapper
    from vectorbt.portfolio.enums import trade_dt
    from vectorbt.portfolio.trades import ExitTrades

    r = returns_of(run)
    accessor = r.vbt.returns(freq="1D", benchmark_rets=benchmark_of(run))
    skipped = ("Start", "End", "Period", "Max Drawdown Duration", "Benchmark Return [%]")
    stats = accessor.stats(metrics=[name for name, of in accessor.metrics.items() if of["title"] not in skipped])
    figures = {name: attempt(lambda name=name: stats[name]) for name in stats.index}
    figures["cond_value_at_risk"] = attempt(accessor.cond_value_at_risk)
    figures["information_ratio"] = attempt(accessor.information_ratio)

    trades, bars = run["trades"], run["bars"]
    records = np.zeros(len(trades["pnl"]), dtype=trade_dt)
    records["id"] = records["parent_id"] = np.arange(len(records))
    records["size"], records["pnl"] = numbers(trades["quantity"]), numbers(trades["pnl"])
    records["return"] = numbers(trades["returnFraction"])
    records["entry_idx"], records["exit_idx"] = bar_rows(run, trades["entryMs"]), bar_rows(run, trades["exitMs"])
    records["entry_price"], records["exit_price"] = numbers(trades["entryPrice"]), numbers(trades["exitPrice"])
    records["direction"], records["status"] = np.array(trades["isShort"], dtype="int64"), 1
    close = pd.Series(numbers(bars["close"]), index=times(bars["openMs"]))
    wrapper = ArrayWrapper.from_obj(close, freq=pd.Timedelta(bars["intervalMs"], unit="ms"))
    of_trades = ExitTrades(wrapper, records, close=close).stats()
    names = """Total Closed Trades|Win Rate [%]|Max Win Streak|Max Loss Streak|Best Trade [%]|Worst Trade [%]|Avg Winning Trade [%]
    |Avg Losing Trade [%]|Avg Winning Trade Duration|Avg Losing Trade Duration|Profit Factor|Expectancy|SQN"""
    for name in (name.strip() for name in names.split("|")):
        figures[name] = attempt(lambda name=name: of_trades[name])
    return figures


def freqtrade(run):
    from freqtrade.optimize.optimize_reports.optimize_reports import generate_strategy_stats

    trades = run["trades"]
    opened, closed = times(trades["entryMs"]).tz_localize("UTC"), times(trades["exitMs"]).tz_localize("UTC")
    frame = pd.DataFrame(
        {
            "pair": ["A/USDT"] * len(opened),
            "stake_amount": numbers(trades["entryNotional"]),
            "open_date": opened,
            "close_date": closed,
            "trade_duration": np.array((closed - opened).total_seconds() // 60, dtype="int64"),
            "profit_ratio": numbers(trades["returnFraction"]),
            "profit_abs": numbers(trades["pnl"]),
            "exit_reason": ["exit_signal"] * len(opened),
            "enter_tag": [""] * len(opened),
            "is_short": np.array(trades["isShort"]) == 1,
        }
    )
    config = {
        "max_open_trades": 1,
        "dry_run_wallet": run["startEquity"],
        "stake_currency": "USDT",
        "stake_amount": "unlimited",
        "timeframe": "1h",
        "stoploss": -1,
        "minimal_roi": {},
        "use_exit_signal": True,
        "trading_mode": "futures",
        "margin_mode": "isolated",
        "exit_profit_only": False,
        "exit_profit_offset": 0.0,
        "ignore_roi_if_entry_signal": False,
    }
    counters = """rejected_signals timedout_entry_orders timedout_exit_orders canceled_trade_entries canceled_entry_orders
    replaced_entry_orders backtest_start_time backtest_end_time"""
    content = {"results": frame, "config": config, "locks": [], "final_balance": run["endEquity"], **dict.fromkeys(counters.split(), 0)}
    opens = run["bars"]["openMs"]
    first, last = (pd.Timestamp(ms, unit="ms", tz="UTC").to_pydatetime() for ms in (opens[0], opens[-1]))
    try:
        stats = generate_strategy_stats(["A/USDT"], "isobar", content, first, last, 0)
    except OverflowError:  # of cagr, which ends the whole report: its other figures come from a report without growth
        stats = generate_strategy_stats(["A/USDT"], "isobar", {**content, "final_balance": run["startEquity"]}, first, last, 0)
        stats = {**stats, "cagr": "overflow", "final_balance": run["endEquity"]}
    names = """profit_total_abs profit_total profit_total_long profit_total_short profit_mean profit_median cagr final_balance sharpe sortino
    calmar expectancy expectancy_ratio profit_factor max_drawdown_account max_relative_drawdown max_drawdown_abs csum_min csum_max
    total_trades trade_count_long trade_count_short wins draws losses winrate max_consecutive_wins max_consecutive_losses avg_stake_amount
    backtest_best_day backtest_worst_day backtest_best_day_abs backtest_worst_day_abs winning_days draw_days losing_days"""
    figures = {name: attempt(lambda name=name: stats[name]) for name in names.split()}
    figures["holding_avg"] = attempt(lambda: stats["holding_avg"].total_seconds())
    return figures


def nautilus(run):
    from nautilus_trader import analysis
    from nautilus_trader.model.currencies import USDT
    from nautilus_trader.model.identifiers import PositionId
    from nautilus_trader.model.objects import Money

    analyzer = analysis.PortfolioAnalyzer()
    kinds = """MaxWinner AvgWinner MinWinner MinLoser AvgLoser MaxLoser Expectancy WinRate ReturnsVolatility ReturnsAverage
    ReturnsAverageLoss ReturnsAverageWin SharpeRatio SortinoRatio ProfitFactor RiskReturnRatio CAGR MaxDrawdown CalmarRatio BetaRatio
    Alpha TrackingError InformationRatio TreynorRatio"""
    for kind in kinds.split():
        analyzer.register_statistic(getattr(analysis, kind)())
    for day, value in returns_of(run).items():
        analyzer.add_return(day.tz_localize("UTC"), value)
    for number, pnl in enumerate(run["trades"]["pnl"]):
        analyzer.add_trade(PositionId(f"P-{number}"), Money(pnl, USDT))
    # The balances of the account, which calculate_statistics reads from it.
    analyzer._account_balances_starting = {USDT: Money(run["startEquity"], USDT)}
    analyzer._account_balances = {USDT: Money(run["endEquity"], USDT)}
    utc = benchmark_of(run).tz_localize("UTC")
    figures = {
        **analyzer.get_performance_stats_pnls(USDT),
        **analyzer.get_performance_stats_returns(),
        **analyzer.get_performance_stats_returns_vs_benchmark(utc),
    }
    return {name: attempt(lambda value=value: value) for name, value in figures.items()}


TOOLS = {
    "quantstats": (quantstats, ["quantstats"]),
    "empyrical": (empyrical, ["empyrical-reloaded"]),
    "backtesting.py": (backtesting, ["backtesting"]),
    "vectorbt": (vectorbt, ["vectorbt"]),
    "freqtrade": (freqtrade, ["freqtrade"]),
    "nautilus": (nautilus, ["nautilus_trader"]),
}


def main():
    name = sys.argv[1]
    figures, packages = TOOLS[name]
    runs = {path.stem: json.loads(path.read_text()) for path in sorted((HERE / "inputs").glob("*.json"))}
    wanted = [*packages, "numpy", "pandas", "scipy", "numba", "bottleneck"]
    versions = {}
    for package in wanted:
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            pass
    made = {"python": sys.version.split()[0], "versions": versions, "runs": {run: figures(given) for run, given in runs.items()}}
    (HERE / "figures" / f"{name}.json").write_text(json.dumps(made, indent=1) + "\n")


main()
