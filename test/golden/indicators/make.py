"""Writes indicators.json: what other libraries, or a plain formula, compute over seeded bars.

python3 -m venv venv && venv/bin/pip install TA-Lib==0.6.8 tulipy pandas ta==0.11.0 && venv/bin/python test/golden/indicators/make.py
The versions that were used are in the file.
"""

import json
import math
import os
from importlib.metadata import version

import numpy as np
import pandas as pd
import ta
import talib
import tulipy

ROWS = 20000
SHORT = 300
# Values of each series that are kept: those from the first on, and the last ones.
FIRST, LAST = 5, 30


def make_bars(rows):
    state = 12345

    def draw(n):
        nonlocal state
        state = (1664525 * state + 1013904223) % 2**32
        return (state >> 8) % n

    columns = {name: [] for name in ("open", "high", "low", "close", "volume")}
    close = 10000
    for _ in range(rows):
        open_ = close + (draw(61) - 30 if draw(3) == 0 else 0)
        close = max(1000, open_ + draw(201) - 100 if draw(6) != 0 else open_ + draw(7) - 3)
        high = max(open_, close) + (0 if draw(4) == 0 else draw(70))
        low = min(open_, close) - (0 if draw(4) == 0 else draw(70))
        volume = 1 + draw(100000)
        for name, value in (("open", open_), ("high", high), ("low", low), ("close", close), ("volume", volume)):
            columns[name].append(value)
    return {name: np.array(values, dtype=float) / 100 for name, values in columns.items()}


LONG = make_bars(ROWS)
B = {name: values[:SHORT] for name, values in LONG.items()}
O, H, L, C, V = (B[name] for name in ("open", "high", "low", "close", "volume"))
S = {name: pd.Series(values) for name, values in B.items()}


def padded(values):
    """Values of tulipy begin at the first defined row."""
    return np.concatenate([np.full(SHORT - len(values), np.nan), values])


def ema(x, n, weight=None):
    """The first value is the mean of the first n; leading NaN are skipped."""
    k = 2 / (n + 1) if weight is None else weight
    out = np.full(len(x), np.nan)
    start = int(np.argmax(~np.isnan(x)))
    if start + n > len(x):
        return out
    out[start + n - 1] = x[start : start + n].mean()
    for i in range(start + n, len(x)):
        out[i] = k * x[i] + (1 - k) * out[i - 1]
    return out


def rma(x, n):
    return ema(x, n, 1 / n)


def windows(x, n, of):
    out = np.full(len(x), np.nan)
    for i in range(n - 1, len(x)):
        part = x[i - n + 1 : i + 1]
        if not np.isnan(part).any():
            out[i] = of(part)
    return out


def wma(x, n):
    weights = np.arange(1, n + 1)
    return windows(x, n, lambda part: (part * weights).sum() / weights.sum())


def shift(x, n):
    return np.concatenate([np.full(n, np.nan), x[:-n]])


def true_range():
    last = shift(C, 1)
    out = np.maximum(H - L, np.maximum(np.abs(H - last), np.abs(L - last)))
    out[0] = np.nan
    return out


def roc(x, n):
    return 100 * (x / shift(x, n) - 1)


def rsi(x, n):
    return talib.RSI(x, n)


def zlema(n):
    lag = (n - 1) // 2
    return ema(C + (C - shift(C, lag)), n)


def alma(n, offset, sigma):
    m, s = offset * (n - 1), n / sigma
    w = np.exp(-((np.arange(n) - m) ** 2) / (2 * s * s))
    return windows(C, n, lambda part: (part * w).sum() / w.sum())


def linear(part):
    return np.polyfit(np.arange(len(part)), part, 1)


def beta(n):
    return (S["close"].rolling(n).cov(S["volume"]) / S["volume"].rolling(n).var()).to_numpy()


def tsi(slow, fast):
    move = C - shift(C, 1)
    return 100 * ema(ema(move, slow), fast) / ema(ema(np.abs(move), slow), fast)


def streak():
    out = np.full(SHORT, np.nan)
    run = 0
    for i in range(1, SHORT):
        if C[i] > C[i - 1]:
            run = run + 1 if run > 0 else 1
        elif C[i] < C[i - 1]:
            run = run - 1 if run < 0 else -1
        else:
            run = 0
        out[i] = run
    return out


def percent_rank(x, n):
    return windows(x, n + 1, lambda part: 100 * (part[:-1] < part[-1]).sum() / n)


def connors(n, m, k):
    runs = streak()
    known = np.concatenate([[np.nan], rsi(runs[1:], m)])
    return (rsi(C, n) + known + percent_rank(roc(C, 1), k)) / 3


def ulcer(n):
    top = pd.Series(C).rolling(n).max().to_numpy()
    return np.sqrt(windows((100 * (C - top) / top) ** 2, n, np.mean))


def choppiness(n):
    total = windows(true_range(), n, np.sum)
    span = S["high"].rolling(n).max() - S["low"].rolling(n).min()
    return 100 * np.log10(total / span.to_numpy()) / math.log10(n)


def mass(n, m):
    once = ema(H - L, n)
    return windows(once / ema(once, n), m, np.sum)


def chaikin_volatility(n, m):
    return roc(ema(H - L, n), m)


def yang_zhang(n):
    night = np.log(O / shift(C, 1))
    day = np.log(C / O)
    rogers = np.log(H / C) * np.log(H / O) + np.log(L / C) * np.log(L / O)
    k = 0.34 / (1.34 + (n + 1) / (n - 1))
    part = lambda x, of: pd.Series(x).rolling(n).agg(of).to_numpy()
    return np.sqrt(part(night, "var") + k * part(day, "var") + (1 - k) * part(rogers, "mean"))


def supertrend(n, width):
    atr = rma(true_range(), n)
    middle = (H + L) / 2
    upper, lower = middle + width * atr, middle - width * atr
    value, direction = np.full(SHORT, np.nan), np.full(SHORT, np.nan)
    trend = 1
    for i in range(SHORT):
        if np.isnan(atr[i]):
            continue
        if not np.isnan(upper[i - 1]):
            if C[i] > upper[i - 1]:
                trend = 1
            elif C[i] < lower[i - 1]:
                trend = -1
            if C[i - 1] <= upper[i - 1]:
                upper[i] = min(upper[i], upper[i - 1])
            if C[i - 1] >= lower[i - 1]:
                lower[i] = max(lower[i], lower[i - 1])
        value[i] = lower[i] if trend == 1 else upper[i]
        direction[i] = trend
    return {"value": value, "direction": direction}


def bands(x, n, width):
    upper, middle, lower = talib.BBANDS(x, n, width, width)
    return upper, middle, lower


def squeeze(n, width, channel):
    deviation = windows(C, n, lambda part: part.std())
    on = (width * deviation < channel * rma(true_range(), n)).astype(float)
    on[:n] = np.nan
    return on


def oscillator(x, fast, slow, signal, name):
    distance = 100 * (ema(x, fast) - ema(x, slow)) / ema(x, slow)
    smooth = ema(distance, signal)
    return {name: distance, "signal": smooth, "histogram": distance - smooth}


def ease(n):
    middle = (H + L) / 2
    return windows((middle - shift(middle, 1)) * (H - L) / V, n, np.mean)


def heikin_ashi():
    close = (O + H + L + C) / 4
    open_ = np.empty(SHORT)
    open_[0] = (O[0] + C[0]) / 2
    for i in range(1, SHORT):
        open_[i] = (open_[i - 1] + close[i - 1]) / 2
    return {"open": open_, "high": np.maximum(H, np.maximum(open_, close)), "low": np.minimum(L, np.minimum(open_, close)), "close": close}


def fractals(wing):
    up, down = np.full(SHORT, np.nan), np.full(SHORT, np.nan)
    last_up = last_down = np.nan
    for i in range(2 * wing, SHORT):
        m = i - wing
        others = [j for j in range(i - 2 * wing, i + 1) if j != m]
        if all(H[m] > H[j] for j in others):
            last_up = H[m]
        if all(L[m] < L[j] for j in others):
            last_down = L[m]
        up[i], down[i] = last_up, last_down
    return {"up": up, "down": down}


# One minute a bar from 2024-01-01: SHORT rows are five hours, so bars of twenty minutes stand for those of the day tests.
MINUTES = 20


def days():
    return np.arange(SHORT) * MINUTES // 1440


def daily_vwap():
    flow, volume = pd.Series((H + L + C) / 3 * V), S["volume"]
    return (flow.groupby(days()).cumsum() / volume.groupby(days()).cumsum()).to_numpy()


def pivots():
    names = ("pivot", "r1", "r2", "r3", "s1", "s2", "s3")
    out = {name: np.full(SHORT, np.nan) for name in names}
    day = days()
    for i in range(SHORT):
        before = day == day[i] - 1
        if not before.any():
            continue
        h, l, c = H[before].max(), L[before].min(), C[before][-1]
        p = (h + l + c) / 3
        for name, value in zip(names, (p, 2 * p - l, p + h - l, h + 2 * (p - l), 2 * p - h, p - (h - l), l - 2 * (h - p))):
            out[name][i] = value
    return out


def vortex(n):
    of = ta.trend.VortexIndicator(S["high"], S["low"], S["close"], n)
    return {"plus": of.vortex_indicator_pos().to_numpy(), "minus": of.vortex_indicator_neg().to_numpy()}


def regression(n):
    with np.errstate(all="ignore"):
        r2 = windows(C, n, lambda part: np.corrcoef(np.arange(n), part)[0, 1] ** 2)
    return {
        "value": talib.LINEARREG(C, n),
        "forecast": talib.TSF(C, n),
        "slope": talib.LINEARREG_SLOPE(C, n),
        "intercept": talib.LINEARREG_INTERCEPT(C, n),
        "r2": r2,
    }


aroon_down, aroon_up = talib.AROON(H, L, 25)
bb = bands(C, 20, 2)
ppo = oscillator(C, 12, 26, 9, "ppo")
macd = talib.MACD(C, 12, 26, 9)
fisher, fisher_signal = tulipy.fisher(H, L, 9)
log_returns = np.log(C / shift(C, 1))

VALUES = {
    "sma": talib.SMA(C, 10),
    "ema": talib.EMA(C, 12),
    "wma": talib.WMA(C, 9),
    "rsi": talib.RSI(C, 14),
    "roc": talib.ROC(C, 12),
    "trix": talib.TRIX(C, 9),
    "cci": talib.CCI(H, L, C, 20),
    "mfi": talib.MFI(H, L, C, V, 14),
    "atr": talib.ATR(H, L, C, 14),
    "williamsR": talib.WILLR(H, L, C, 14),
    "bollinger": {"upper": bb[0], "middle": bb[1], "lower": bb[2]},
    "highest": talib.MAX(H, 20),
    "lowest": talib.MIN(L, 20),
    "dema": talib.DEMA(C, 10),
    "tema": talib.TEMA(C, 10),
    "t3": talib.T3(C, 5, 0.7),
    "trima": talib.TRIMA(C, 12),
    "trima odd": talib.TRIMA(C, 13),
    "kama": talib.KAMA(C, 10),
    "midpoint": talib.MIDPOINT(C, 14),
    "midprice": talib.MIDPRICE(H, L, 14),
    "hma": padded(tulipy.hma(C, 16)),
    "vwma": padded(tulipy.vwma(C, V, 10)),
    "zlema": zlema(12),
    "alma": alma(9, 0.85, 6),
    "rollingSum": talib.SUM(C, 10),
    "variance": talib.VAR(C, 20),
    "stdDev": talib.STDDEV(C, 20),
    "zscore": windows(C, 20, lambda part: (part[-1] - part.mean()) / part.std()),
    "meanDeviation": windows(C, 20, lambda part: np.abs(part - part.mean()).mean()),
    "skewness": S["close"].rolling(20).skew().to_numpy(),
    "kurtosis": S["close"].rolling(20).kurt().to_numpy(),
    "percentile": windows(C, 20, lambda part: np.percentile(part, 30)),
    "median": windows(C, 20, np.median),
    "percentRank": percent_rank(C, 20),
    "drawdown": (S["close"] / S["close"].rolling(30).max() - 1).to_numpy(),
    # Of equal values the newest counts. TA-Lib's MININDEX takes now the newest, now the oldest.
    "barsSinceHighest": windows(C, 20, lambda part: np.argmax(part[::-1])),
    "barsSinceLowest": windows(C, 20, lambda part: np.argmin(part[::-1])),
    "realisedVolatility": np.sqrt(252) * pd.Series(log_returns).rolling(20).std().to_numpy(),
    "corr": talib.CORREL(C, V, 30),
    "covariance": S["close"].rolling(30).cov(S["volume"]).to_numpy(),
    "beta": beta(30),
    "linearRegression": regression(14),
    "trueRange": talib.TRANGE(H, L, C),
    "natr": talib.NATR(H, L, C, 14),
    "parkinson": np.sqrt(windows(np.log(H / L) ** 2, 20, np.mean) / (4 * math.log(2))),
    "garmanKlass": np.sqrt(windows(np.log(H / L) ** 2 / 2 - (2 * math.log(2) - 1) * np.log(C / O) ** 2, 20, np.mean)),
    "rogersSatchell": np.sqrt(windows(np.log(H / C) * np.log(H / O) + np.log(L / C) * np.log(L / O), 20, np.mean)),
    "yangZhang": yang_zhang(20),
    "ulcerIndex": ulcer(14),
    "choppiness": choppiness(14),
    "massIndex": mass(9, 25),
    "chaikinVolatility": chaikin_volatility(10, 10),
    "atrBands": {"upper": C + 2 * talib.ATR(H, L, C, 14), "middle": np.where(np.isnan(talib.ATR(H, L, C, 14)), np.nan, C), "lower": C - 2 * talib.ATR(H, L, C, 14)},
    "donchian": {"upper": talib.MAX(H, 20), "middle": (talib.MAX(H, 20) + talib.MIN(L, 20)) / 2, "lower": talib.MIN(L, 20)},
    "percentB": (C - bb[2]) / (bb[0] - bb[2]),
    "bandWidth": (bb[0] - bb[2]) / bb[1],
    "supertrend": supertrend(10, 3),
    "squeeze": squeeze(20, 2, 1.5),
    "adl": talib.AD(H, L, C, V),
    "chaikinOscillator": talib.ADOSC(H, L, C, V, 3, 10),
    "cmf": ta.volume.ChaikinMoneyFlowIndicator(S["high"], S["low"], S["close"], S["volume"], 20).chaikin_money_flow().to_numpy(),
    "pvt": np.concatenate([[np.nan], np.cumsum(((C[1:] - C[:-1]) / C[:-1]) * V[1:])]),
    "nvi": tulipy.nvi(C, V),
    "pvi": tulipy.pvi(C, V),
    "easeOfMovement": ease(14),
    "pvo": oscillator(V, 12, 26, 9, "pvo"),
    "marketFacilitation": tulipy.marketfi(H, L, V),
    "dailyVwap": daily_vwap(),
    "momentum": talib.MOM(C, 10),
    "apo": ema(C, 12) - ema(C, 26),
    "ppo": ppo,
    "cmo": padded(tulipy.cmo(C, 14)),
    "dpo": padded(tulipy.dpo(C, 20)),
    "coppock": wma(roc(C, 14) + roc(C, 11), 10),
    "tsi": tsi(25, 13),
    "streak": streak(),
    "connorsRsi": connors(3, 2, 100),
    "qstick": padded(tulipy.qstick(O, C, 8)),
    "balanceOfPower": talib.BOP(O, H, L, C),
    "ultimate": talib.ULTOSC(H, L, C, 7, 14, 28),
    "elderRay": {"bull": H - talib.EMA(C, 13), "bear": L - talib.EMA(C, 13)},
    "aroon": {"up": aroon_up, "down": aroon_down, "oscillator": talib.AROONOSC(H, L, 25)},
    "vortex": vortex(14),
    "fisher": {"fisher": padded(fisher), "signal": padded(fisher_signal)},
    "typicalPrice": talib.TYPPRICE(H, L, C),
    "medianPrice": talib.MEDPRICE(H, L),
    "weightedClose": talib.WCLPRICE(H, L, C),
    "averagePrice": talib.AVGPRICE(O, H, L, C),
    "heikinAshi": heikin_ashi(),
    "fractals": fractals(2),
    "pivots": pivots(),
}

CANDLES = {
    "doji": "DOJI", "dragonflyDoji": "DRAGONFLYDOJI", "gravestoneDoji": "GRAVESTONEDOJI", "longLeggedDoji": "LONGLEGGEDDOJI",
    "marubozu": "MARUBOZU", "spinningTop": "SPINNINGTOP", "hammer": "HAMMER", "hangingMan": "HANGINGMAN",
    "invertedHammer": "INVERTEDHAMMER", "shootingStar": "SHOOTINGSTAR", "engulfing": "ENGULFING", "harami": "HARAMI",
    "haramiCross": "HARAMICROSS", "piercing": "PIERCING", "darkCloudCover": "DARKCLOUDCOVER", "morningStar": "MORNINGSTAR",
    "eveningStar": "EVENINGSTAR", "threeWhiteSoldiers": "3WHITESOLDIERS", "threeBlackCrows": "3BLACKCROWS",
    "threeInside": "3INSIDE", "threeOutside": "3OUTSIDE",
}  # fmt: skip


def kept(values):
    """The row of the first value, the values from there on, and the last ones."""
    values = np.asarray(values, dtype=float)
    first = int(np.argmax(~np.isnan(values)))
    text = lambda part: [None if math.isnan(value) else float(f"{value:.13g}") for value in part]
    return {"first": first, "values": text(values[first : first + FIRST]), "last": text(values[-LAST:])}


def candles():
    found = {}
    for name, of in CANDLES.items():
        values = getattr(talib, f"CDL{of}")(LONG["open"], LONG["high"], LONG["low"], LONG["close"])
        rows = np.flatnonzero(values)
        found[name] = [[int(row), int(values[row])] for row in rows[:40]] + [[int(row), int(values[row])] for row in rows[40:][-20:]]
        found[name] = {"count": len(rows), "rows": found[name]}
    return found


out = {
    "versions": {name: version(name) for name in ("TA-Lib", "tulipy", "ta", "pandas", "numpy")},
    "series": {
        name: {of: kept(part) for of, part in value.items()} if isinstance(value, dict) else {"": kept(value)}
        for name, value in VALUES.items()
    },
    "candles": candles(),
}
with open(os.path.join(os.path.dirname(__file__), "indicators.json"), "w") as file:
    json.dump(out, file, separators=(",", ":"))
    file.write("\n")
print(len(out["series"]), "indicators;", {name: of["count"] for name, of in out["candles"].items()})
