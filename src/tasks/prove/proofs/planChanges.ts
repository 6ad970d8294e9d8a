// Changes of a run plan that should not change the decisions of a strategy.

import { pow10 } from '../../../base/number/exact.ts';
import { Decimal } from '../../../base/number/decimal.ts';
import { instrumentId, type Instrument, type InstrumentId } from '../../../model/instrument.ts';
import type { BarColumns } from '../../../model/bars/bars.ts';
import type { FeedPlan, RunPlan, SeriesPlan, StrategyPlan } from '../../../definition/plan/plan.ts';
import { LIMITS } from '../../../risk/limits/limits.ts';

/** A changed plan, and how its times and instruments map to the original plan. */
export interface ChangedPlan {
  readonly plan: RunPlan;
  /** Amount added to all times, ms. */
  readonly shiftMs: number;
  /** Returns an instrument as it was before the change. */
  readonly before: (instrument: Instrument) => Instrument;
}

/** One change. */
export interface PlanChange {
  /** The name in messages. */
  readonly name: string;
  /** Returns the changed plan, or a text: why the change cannot be applied. `usesCalendar`: a timer of the strategies follows the calendar. */
  readonly apply: (plan: RunPlan, usesCalendar: boolean) => ChangedPlan | string;
}

const WEEK_MS = 604_800_000;
/** Weeks by which times are moved. Whole weeks keep the days of the week. */
const WEEKS = 52;
/** Factor of prices and money. A power of ten keeps the digits of each price. */
const PRICE_FACTOR = 10;
/** Limits of risk that are amounts of money. */
const MONEY_LIMITS: ReadonlySet<string> = new Set(
  LIMITS.filter((limit) => 'unit' in limit && limit.unit === 'quote asset').map(({ key }) => key),
);

const sameInstrument = (instrument: Instrument): Instrument => instrument;

/** All changes, in the order in which the proof applies them. */
export const CHANGES: readonly PlanChange[] = [
  { name: `times ${WEEKS} weeks later`, apply: shiftedByWeeks },
  { name: `prices times ${PRICE_FACTOR}`, apply: scaledPrices },
  { name: 'another symbol', apply: renameInstruments },
  { name: 'feeds in another order', apply: reorderFeeds },
];

/** Returns the plan with all times moved by whole weeks, or why it cannot be moved. */
function shiftedByWeeks(plan: RunPlan, usesCalendar: boolean): ChangedPlan | string {
  if (usesCalendar) return 'a timer follows the calendar';
  if (plan.futures !== undefined) return 'funding has fixed times';
  if (plan.feeds.some(({ bars }) => bars.interval === '1M')) return 'bars of months';
  const shiftMs = WEEKS * WEEK_MS;
  const later = (times: Float64Array, length: number): Float64Array => times.slice(0, length).map((ms) => ms + shiftMs);
  const feeds = plan.feeds.map((feed): FeedPlan => {
    const { bars, listedFromMs, listedToMs } = feed;
    const listed = {
      ...(listedFromMs === undefined ? {} : { listedFromMs: listedFromMs + shiftMs }),
      ...(listedToMs === undefined ? {} : { listedToMs: listedToMs + shiftMs }),
    };
    return { ...feed, ...listed, bars: { ...bars, openMs: later(bars.openMs, bars.length), closeMs: later(bars.closeMs, bars.length) } };
  });
  const series = plan.series?.map((seriesPlan): SeriesPlan => {
    const { length, knownMs, timeMs } = seriesPlan.values;
    return { ...seriesPlan, values: { ...seriesPlan.values, knownMs: later(knownMs, length), timeMs: later(timeMs, length) } };
  });
  const shifted = { ...plan, feeds, fromMs: plan.fromMs + shiftMs, toMs: plan.toMs + shiftMs, ...(series === undefined ? {} : { series }) };
  return { plan: shifted, shiftMs, before: sameInstrument };
}

/**
 * Returns the plan with prices and money times ten, or why it cannot be scaled. Prices and money also have one digit less, so every price in
 * ticks and every amount in units stays the same number.
 */
function scaledPrices(plan: RunPlan): ChangedPlan | string {
  if (plan.futures !== undefined) return 'contracts have fixed face values';
  if (plan.convert !== undefined) return 'the run has cash in several quote assets';
  const { models } = plan;
  const hasModels = models !== undefined && (models.slippage !== null || models.fees !== null || models.rules.length > 0);
  if (hasModels) return 'the run has models of its own';
  const instruments = plan.feeds.map(({ bars }) => bars.instrument);
  if (instruments.some(({ priceDigits, quoteDigits }) => priceDigits < 1 || quoteDigits < 1)) return 'prices have no decimals';
  const paramValues = plan.strategies.flatMap(({ params }) => Object.values(params));
  if (paramValues.some((value) => isPrice(value, plan))) return 'a parameter may be a price';
  if (plan.series !== undefined) return 'a series may be of prices';
  const quotes = new Set(instruments.map(({ quote }) => quote));
  const timesFactor = (text: string): string => new Decimal(text).times(PRICE_FACTOR).toFixed();
  const feeds = plan.feeds.map((feed): FeedPlan => ({ ...feed, bars: scaledBars(feed.bars) }));
  const cash = Object.fromEntries(Object.entries(plan.cash).map(([asset, text]) => [asset, quotes.has(asset) ? timesFactor(text) : text]));
  const size = plan.size.quote === undefined ? plan.size : { quote: timesFactor(plan.size.quote) };
  const limits = Object.entries(plan.risk as Readonly<Record<string, unknown>>);
  const risk = Object.fromEntries(
    limits.map(([key, value]) => [key, MONEY_LIMITS.has(key) && typeof value === 'string' ? timesFactor(value) : value]),
  );
  const originals = new Map(instruments.map((instrument) => [instrument.id, instrument]));
  return { plan: { ...plan, feeds, cash, size, risk }, shiftMs: 0, before: ({ id }) => originals.get(id)! };
}

/** True when a value lies within the prices of a feed, so that it may be a price. */
function isPrice(value: unknown, { feeds }: RunPlan): boolean {
  const number = typeof value === 'number' || typeof value === 'string' ? Number(value) : NaN;
  return feeds.some(({ bars }) => {
    let low = Infinity;
    let high = 0;
    for (let row = 0; row < bars.length; row++) {
      low = Math.min(low, bars.low[row]!);
      high = Math.max(high, bars.high[row]!);
    }
    return number >= low && number <= high;
  });
}

/** Returns bars with all prices multiplied by the same factor. */
function scaledBars(bars: BarColumns): BarColumns {
  const { instrument, length } = bars;
  const scale = pow10(instrument.priceDigits);
  const scalePrices = (prices: Float64Array): Float64Array =>
    prices.slice(0, length).map((price) => Math.round(price * scale) / (scale / PRICE_FACTOR));
  return {
    ...bars,
    instrument: { ...instrument, priceDigits: instrument.priceDigits - 1, quoteDigits: instrument.quoteDigits - 1 },
    open: scalePrices(bars.open),
    high: scalePrices(bars.high),
    low: scalePrices(bars.low),
    close: scalePrices(bars.close),
  };
}

/** Returns the plan with other names of its instruments. */
function renameInstruments(plan: RunPlan): ChangedPlan {
  const newName = (name: string): string => `X${name}`;
  /** The original instruments by their new ids, and the renamed ones by their original ids. */
  const originals = new Map<InstrumentId, Instrument>();
  const renamed = new Map<InstrumentId, Instrument>();
  for (const { bars } of plan.feeds) {
    const { instrument } = bars;
    const wireName = newName(instrument.wireName);
    const id = instrumentId(instrument.market, wireName);
    originals.set(id, instrument);
    renamed.set(instrument.id, { ...instrument, wireName, id });
  }
  const newIdOf = (id: InstrumentId): InstrumentId => renamed.get(id)?.id ?? id;
  const names = new Set([...originals.values()].map(({ wireName }) => wireName));
  const strategies = plan.strategies.map((strategy) => withNewNames(strategy, names, newName));
  const feeds = plan.feeds.map((feed): FeedPlan => ({
    ...feed,
    bars: { ...feed.bars, instrument: renamed.get(feed.bars.instrument.id)! },
  }));
  const futures = plan.futures && {
    ...plan.futures,
    data: new Map([...plan.futures.data].map(([id, contractData]) => [newIdOf(id), contractData])),
  };
  const series = plan.series?.map((seriesPlan): SeriesPlan => {
    const { symbol } = seriesPlan;
    return { ...seriesPlan, symbol: symbol === null ? null : newName(symbol) };
  });
  const convert = plan.convert && Object.fromEntries(Object.entries(plan.convert).map(([asset, id]) => [asset, newIdOf(id)]));
  return {
    plan: {
      ...plan,
      feeds,
      strategies,
      ...(convert ? { convert } : {}),
      ...(series === undefined ? {} : { series }),
      ...(futures ? { futures } : {}),
    },
    shiftMs: 0,
    before: (instrument) => originals.get(instrument.id) ?? instrument,
  };
}

/** Returns the strategy with each parameter that is one of `names` replaced by its new name. */
function withNewNames(strategy: StrategyPlan, names: ReadonlySet<string>, newName: (name: string) => string): StrategyPlan {
  const params = Object.entries(strategy.params).map(([key, value]) => [
    key,
    typeof value === 'string' && names.has(value) ? newName(value) : value,
  ]);
  return { ...strategy, params: Object.fromEntries(params) as StrategyPlan['params'] };
}

/** Returns the plan with its feeds in another order, or why they cannot be reordered. */
function reorderFeeds(plan: RunPlan): ChangedPlan | string {
  if (plan.feeds.length < 2) return 'one feed';
  return { plan: { ...plan, feeds: plan.feeds.toReversed() }, shiftMs: 0, before: sameInstrument };
}
