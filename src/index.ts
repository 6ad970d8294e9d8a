// The door `isobar`: what the author of a strategy imports, and nothing else.

export { Strategy, type Setup, type StrategyClass } from './strategy/strategy.ts';
export { int, float, decimal, flag, choice, type ParamSpec } from './strategy/params.ts';
export type { Amount, Bar, Feed, FillInfo, OrderInfo, OrderOptions, Position, Size } from './strategy/types.ts';
export type { FeedSeries, Series, Signal } from './indicators/series.ts';
export type { IndicatorSpec, SignalSource, Source } from './indicators/spec.ts';
export { ema, sma, vwap, wma } from './indicators/averages.ts';
export { above, and, below, crossedDown, crossedUp, not, or } from './indicators/signals.ts';
export { highest, lowest } from './indicators/channels.ts';
export type { Instrument } from './model/instrument.ts';
export type { Interval } from './model/interval.ts';
export type { Lifecycle, OrderId, Side } from './model/order.ts';
