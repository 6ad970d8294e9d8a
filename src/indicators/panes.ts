// Decides where a chart draws an indicator whose strategy names no pane. The name of an indicator, such as `sma(close, 10)`, decides.

const DRAWN_OVER_PRICE =
  /^(sma|ema|wma|vwap|dailyVwap|bollinger|highest|lowest|dema|tema|t3|trima|alma|hma|zlema|kama|vwma|midpoint|midprice|median|percentile|keltner|chandelierExit|ichimoku|psar|donchian|supertrend|atrBands|pivots|fractals|heikinAshi|typicalPrice|medianPrice|weightedClose|averagePrice)\b/;
const OF_ANOTHER_SCALE = /(rsi|adx|macd|stochastic|atr\(|volume\b(?!\))|technical|roc|direction|zscore|corr|div|sub|log)/;

/** Returns `price` for averages and channels of prices, which are drawn over the bars; for anything else, a pane of its own name. */
export function paneOf(name: string): string {
  return DRAWN_OVER_PRICE.test(name) && !OF_ANOTHER_SCALE.test(name) ? 'price' : name;
}
