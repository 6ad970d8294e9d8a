// Entry point `isobar`: exactly what a strategy file may import.

export { Strategy, type Setup, type StrategyClass } from './strategy/strategy.ts';
export { int, float, decimal, flag, choice, type ParamSpec } from './strategy/params.ts';
export type {
  Amendment, Amount, Bar, CronOptions, Decimal, Feed, FillInfo, Funding, KnownSeries, Missed, OrderInfo, OrderOptions, Position, RebalanceOptions, Size, TargetShare, TimerOptions, Trail, Weights,
} from './strategy/types.ts'; // prettier-ignore
export {
  covarianceMatrix,
  equalWeights,
  inverseVolatility,
  riskParity,
  type ComputedWeights,
  type RiskParityOptions,
} from './strategy/weights.ts';
export type { FeedSeries, Series, Signal } from './indicators/graph/series.ts';
export type { IndicatorSpec, SignalSource, Source } from './indicators/graph/spec.ts';
export {
  abs, add, div, exp, lag, log, maxOf, minOf, mul, signOf, sqrt, sub, where, type Term,
} from './indicators/arithmetic/arithmetic.ts'; // prettier-ignore
export { rank } from './indicators/arithmetic/ranks.ts';
export { ema, sma, vwap, wma } from './indicators/averages.ts';
export { candle, type CandlePattern } from './indicators/candles/patterns.ts';
export { fractals, heikinAshi, pivots, type Fractals, type HeikinAshi, type Pivots } from './indicators/candles/shapes.ts';
export { bollinger, highest, lowest, type Bands } from './indicators/channels.ts';
export { custom, type CustomGroupOptions, type CustomOptions } from './indicators/custom.ts';
export { cci, kst, roc, trix, type KnowSureThing } from './indicators/momentum.ts';
export { macd, mfi, rsi, stochastic, stochasticRsi, type Macd, type Stochastic } from './indicators/oscillators.ts';
export {
  aroon, averagePrice, fisher, medianPrice, typicalPrice, vortex, weightedClose, type Aroon,
} from './indicators/direction/direction.ts'; // prettier-ignore
export {
  apo, balanceOfPower, cmo, connorsRsi, coppock, dpo, elderRay, momentum, ppo, qstick, streak, tsi, ultimate, type PercentOscillator,
} from './indicators/direction/momentum.ts'; // prettier-ignore
export { above, and, below, crossedDown, crossedUp, not, or } from './indicators/signals.ts';
export {
  alma, dema, hma, kama, midpoint, midprice, t3, tema, trima, vwma, zlema,
} from './indicators/smoothing/smoothing.ts'; // prettier-ignore
export { beta, corr, covariance, linearRegression, type LinearRegression } from './indicators/statistics/pairs.ts';
export {
  barsSinceHighest, barsSinceLowest, drawdown, kurtosis, meanDeviation, median, percentile, percentRank, realisedVolatility, rollingSum,
  skewness, stdDev, variance, zscore,
} from './indicators/statistics/statistics.ts'; // prettier-ignore
export { adx, atr, type DirectionalMovement } from './indicators/trend.ts';
export {
  awesomeOscillator, chandelierExit, forceIndex, ichimoku, keltner, obv, psar, wilder, williamsR,
  type ChandelierExit, type Ichimoku, type KeltnerChannels,
} from './indicators/technicalAdapter.ts'; // prettier-ignore
export { bandWidth, donchian, percentB, squeeze, supertrend, type Donchian, type Supertrend } from './indicators/volatility/bands.ts';
export {
  atrBands, chaikinVolatility, choppiness, garmanKlass, massIndex, natr, parkinson, rogersSatchell, trueRange, ulcerIndex, yangZhang,
  type AtrBands,
} from './indicators/volatility/ranges.ts'; // prettier-ignore
export {
  adl, chaikinOscillator, cmf, dailyVwap, easeOfMovement, marketFacilitation, nvi, pvi, pvo, pvt, type VolumeOscillator,
} from './indicators/volume/volume.ts'; // prettier-ignore
export {
  feeModel, riskRule, slippageModel,
  type AccountSnapshot as AskingAccount, type BarOfFill, type ProposedOrder as AskingOrder, type ChargedFill, type FeeSpec, type RiskRuleOptions, type RiskRuleSpec, type SlippageSpec, type TakerFill as TakingFill,
} from './strategy/models.ts'; // prettier-ignore
export { sizeByKelly, sizeByRisk, sizeByVolatility, type KellyOdds, type RiskOfStop, type VolatilityTarget } from './strategy/sizes.ts';
export type { Instrument } from './model/instrument.ts';
export type { Interval } from './model/interval.ts';
export type { Lifecycle, OrderId, Side } from './model/order.ts';
