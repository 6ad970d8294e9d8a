// Entry point `isobar`: exactly what a strategy file may import.

export { Strategy, type Setup, type StrategyClass } from './strategy/strategy.ts';
export { int, float, decimal, flag, choice, type ParamSpec } from './strategy/params.ts';
export type {
  Amount, Bar, CronOptions, Feed, FillInfo, Funding, Missed, OrderInfo, OrderOptions, Position, Size, TimerOptions,
} from './strategy/types.ts'; // prettier-ignore
export type { FeedSeries, Series, Signal } from './indicators/graph/series.ts';
export type { IndicatorSpec, SignalSource, Source } from './indicators/graph/spec.ts';
export { ema, sma, vwap, wma } from './indicators/averages.ts';
export { bollinger, highest, lowest, type Bands } from './indicators/channels.ts';
export { custom, type CustomOptions } from './indicators/custom.ts';
export { cci, kst, roc, trix, type KnowSureThing } from './indicators/momentum.ts';
export { macd, mfi, rsi, stochastic, stochasticRsi, type Macd, type Stochastic } from './indicators/oscillators.ts';
export { above, and, below, crossedDown, crossedUp, not, or } from './indicators/signals.ts';
export { adx, atr, type DirectionalMovement } from './indicators/trend.ts';
export {
  awesomeOscillator, chandelierExit, forceIndex, ichimoku, keltner, obv, psar, wilder, williamsR,
  type ChandelierExit, type Ichimoku, type KeltnerChannels,
} from './indicators/technicalAdapter.ts'; // prettier-ignore
export {
  feeModel, riskRule, slippageModel,
  type AccountSnapshot as AskingAccount, type BarOfFill, type ProposedOrder as AskingOrder, type ChargedFill, type FeeSpec, type RiskRuleOptions, type RiskRuleSpec, type SlippageSpec, type TakerFill as TakingFill,
} from './strategy/models.ts'; // prettier-ignore
export type { Instrument } from './model/instrument.ts';
export type { Interval } from './model/interval.ts';
export type { Lifecycle, OrderId, Side } from './model/order.ts';
