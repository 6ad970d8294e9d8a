// Tests bars from successive replies with recent trades: they equal those of a backtest, and a missed trade is never overlooked.

import { expect, test } from 'vitest';
import { seededRng } from '../../../base/number/rng.ts';
import { tradeBarRule } from '../../../model/tradeBars.ts';
import { spotInstrument } from '../../../../test/fixtures/drafts.ts';
import { barsOfDay } from '../../catalog/trades/tradeBars.ts';
import { TradeBarTracker, type TradeEvent } from './tradeBarTracker.ts';
import type { RecentTrade, TradeWindow } from './tradeWindow.ts';

const DAY_MS = 86_400_000;
const START_MS = Date.UTC(2024, 2, 1);
const DIGITS = { priceDigits: 2, quantityDigits: 5 };
const INSTRUMENT = { ...spotInstrument(), ...DIGITS };
const TRADE_INTERVALS = ['7ticks', '0.0005volume', '0.1dollar', '0.25range'] as const;

/** Returns a random walk of trades. With the defaults, it covers two days and a part of a third, with several trades in one ms. */
function randomTrades(seed: number, stepMs = 120_000, count = 1500): RecentTrade[] {
  const rng = seededRng(seed);
  const trades: RecentTrade[] = [];
  let timeMs = START_MS + 3_600_000;
  let priceTicks = 10_000;
  for (let index = 0; index < count; index++) {
    if (rng.next() < 0.7) timeMs += Math.ceil(2 * stepMs * rng.next());
    priceTicks += Math.round(20 * (rng.next() - 0.5));
    trades.push({ id: String(995 + index * 3), timeMs, priceTicks, lots: 1 + Math.floor(20 * rng.next()) });
  }
  return trades;
}

/** Returns the bars of a backtest over these trades: open, close, prices and volume of each. The first trade is the first known one. */
function backtestBars(trades: readonly RecentTrade[], interval: string) {
  const days = [...new Set(trades.map(({ timeMs }) => Math.floor(timeMs / DAY_MS)))];
  return days.flatMap((day, index) => {
    const rows = trades.filter(({ timeMs }) => Math.floor(timeMs / DAY_MS) === day);
    const column = (value: (trade: RecentTrade) => number) => Float64Array.from(rows, value);
    const columns = {
      length: rows.length,
      timeMs: column(({ timeMs }) => timeMs),
      id: column(({ id }) => Number(id)),
      price: column(({ priceTicks }) => priceTicks),
      quantity: column(({ lots }) => lots),
      takerSide: new Int32Array(rows.length),
      ...DIGITS,
    };
    const startMs = day * DAY_MS;
    const isOver = index + 1 < days.length;
    const openMs = index === 0 ? rows[0]!.timeMs : startMs;
    const bars = barsOfDay(columns, tradeBarRule(interval)!, INSTRUMENT, { openMs, startMs, isOver, lastId: null });
    const barColumns = [bars.openMs, bars.closeMs, bars.open, bars.high, bars.low, bars.close, bars.volume];
    return Array.from(bars.openMs, (_, row) => barColumns.map((values) => values[row]!));
  });
}

const trackerOf = (interval: string, openMs: number | null = null): TradeBarTracker =>
  new TradeBarTracker({ rule: tradeBarRule(interval)!, instrument: INSTRUMENT, digits: DIGITS, openMs });
/** Returns the reply that has the newest `rows` of the trades. */
const windowOf = (trades: readonly RecentTrade[], rows = 1000): TradeWindow => ({
  trades: trades.slice(-rows),
  problems: [],
  isFull: trades.length >= rows,
});

/** Returns times, prices and volume of the bars among the events. */
const barsOf = (events: readonly TradeEvent[]) =>
  events.flatMap((event) => {
    if (event.kind !== 'bar') return [];
    const { openMs, closeMs, open, high, low, close, volume } = event.bar;
    return [[openMs, closeMs, open, high, low, close, volume]];
  });
const incompleteOf = (events: readonly TradeEvent[]): readonly boolean[] =>
  events.flatMap((event) => (event.kind === 'bar' ? [event.bar.isIncomplete === true] : []));

/** Polls at random times from `fromMs` on, with `rows` trades in a reply. Each reply shows all trades up to its time. */
function pollThrough(
  tracker: TradeBarTracker,
  trades: readonly RecentTrade[],
  { seed = 1, rows = 1000, pauseMs = 400_000 } = {},
): TradeEvent[] {
  const rng = seededRng(seed + 100);
  const events: TradeEvent[] = [];
  const endMs = trades.at(-1)!.timeMs + 1;
  for (let nowMs = trades[0]!.timeMs - 1; nowMs < endMs; nowMs += Math.ceil(pauseMs * rng.next())) {
    // Trades of the newest times may be printed later.
    const visibleTrades = trades.filter(({ timeMs }) => timeMs < nowMs);
    events.push(...tracker.eventsIn(windowOf(visibleTrades, rows), nowMs - Math.floor(60_000 * rng.next())));
  }
  events.push(...tracker.eventsIn(windowOf(trades, rows), endMs));
  return events;
}

test.each(TRADE_INTERVALS.flatMap((kind) => [1, 2, 3].map((seed) => [kind, seed] as const)))(
  'bars of %s from polls that overlap are the bars of a backtest (seed %i)',
  (kind, seed) => {
    const trades = randomTrades(seed);
    const events = pollThrough(trackerOf(kind), trades, { seed });
    const bars = barsOf(events);
    expect(bars).toEqual(backtestBars(trades, kind));
    expect(bars.length).toBeGreaterThan(50);
    expect(incompleteOf(events)).not.toContain(true);
    expect(events.filter((event) => event.kind !== 'bar')).toEqual([]);
  },
);

test('the last bar of a day ends with the day, as soon as the day has passed', () => {
  const trades = randomTrades(1, 60_000, 20);
  const tracker = trackerOf('100ticks');
  expect(tracker.eventsIn(windowOf(trades), START_MS + DAY_MS - 1)).toEqual([]);
  const [event] = tracker.eventsIn(windowOf(trades), START_MS + DAY_MS);
  expect(event).toMatchObject({ kind: 'bar', bar: { openMs: trades[0]!.timeMs, closeMs: START_MS + DAY_MS, isIncomplete: false } });
  expect(tracker.eventsIn(windowOf(trades), START_MS + 2 * DAY_MS)).toEqual([]);
});

test('a trade of a time that is not settled waits for the next reply', () => {
  const trades = randomTrades(1, 60_000, 20);
  const tracker = trackerOf('20ticks');
  expect(tracker.eventsIn(windowOf(trades), trades.at(-1)!.timeMs)).toEqual([]);
  expect(barsOf(tracker.eventsIn(windowOf(trades), trades.at(-1)!.timeMs + 1))).toHaveLength(1);
});

test('a reply without a known id leaves a gap, and only the bar in which trades may be missing is incomplete', () => {
  const trades = randomTrades(4, 1000, 100);
  const tracker = trackerOf('10ticks');
  expect(barsOf(tracker.eventsIn(windowOf(trades.slice(0, 35)), trades[34]!.timeMs + 1))).toHaveLength(3);
  const { timeMs: toMs } = trades[45]!;
  const replyAfterGap: TradeWindow = { trades: trades.slice(45, 60), problems: [], isFull: true };
  expect(tracker.isLinked(replyAfterGap)).toBe(false);
  const events = tracker.eventsIn(replyAfterGap, trades[59]!.timeMs + 1);
  expect(events[0]).toEqual({ kind: 'gap', fromMs: trades[34]!.timeMs, toMs });
  expect(incompleteOf(events)[0]).toBe(true);
  const laterEvents = tracker.eventsIn(windowOf(trades), trades.at(-1)!.timeMs + 1);
  // Trades before the gap that a longer reply shows later are too late.
  expect(laterEvents[0]).toEqual({ kind: 'late', trades: 10 });
  expect(incompleteOf(laterEvents)).toEqual([
    true,
    ...incompleteOf(laterEvents)
      .slice(1)
      .map(() => false),
  ]);
});

test('a gap over the end of a day makes the bars on both sides of it incomplete', () => {
  const tradesBefore = randomTrades(1, 1000, 15);
  const tracker = trackerOf('10ticks');
  tracker.eventsIn(windowOf(tradesBefore), tradesBefore.at(-1)!.timeMs + 1);
  const tradesAfter = tradesBefore.map((trade, index) => ({ ...trade, id: String(9000 + index), timeMs: trade.timeMs + DAY_MS }));
  const events = tracker.eventsIn({ trades: tradesAfter, problems: [], isFull: true }, tradesAfter.at(-1)!.timeMs + 1);
  expect(incompleteOf(events)).toEqual([true, true]);
  expect(barsOf(events)[0]![1]).toBe(START_MS + DAY_MS);
});

test('an exchange that forgets its trades leaves a gap, once', () => {
  const trades = randomTrades(2, 1000, 60);
  const tracker = trackerOf('10ticks');
  tracker.eventsIn(windowOf(trades.slice(0, 15)), trades[14]!.timeMs + 1);
  expect(tracker.eventsIn(windowOf([]), trades[14]!.timeMs + 5000)).toEqual([{ kind: 'gap', fromMs: trades[14]!.timeMs, toMs: null }]);
  expect(tracker.eventsIn(windowOf([]), trades[14]!.timeMs + 6000)).toEqual([]);
  const events = tracker.eventsIn({ trades: trades.slice(30), problems: [], isFull: false }, trades.at(-1)!.timeMs + 1);
  expect(incompleteOf(events)[0]).toBe(true);
  expect(incompleteOf(events).slice(1)).not.toContain(true);
});

test('a tracker that continues after a bar counts from its end, and has a gap unless the reply shows an earlier trade', () => {
  const trades = randomTrades(3, 1000, 200);
  const allBars = backtestBars(trades, '10ticks');
  const [, closeMs] = allBars[8]! as [number, number];
  const continued = trackerOf('10ticks', closeMs).eventsIn(windowOf(trades), trades.at(-1)!.timeMs + 1);
  expect(barsOf(continued)).toEqual(allBars.slice(9));
  expect(incompleteOf(continued)).not.toContain(true);
  const tradesAfterGap = trades.filter(({ timeMs }) => timeMs > closeMs + 3000);
  const events = trackerOf('10ticks', closeMs).eventsIn({ trades: tradesAfterGap, problems: [], isFull: true }, trades.at(-1)!.timeMs + 1);
  expect(events[0]).toMatchObject({ kind: 'gap', fromMs: null });
  expect(incompleteOf(events)[0]).toBe(true);
});

test('counting begins after the oldest ms of a full first reply, because older trades of that ms may exist', () => {
  const [first, ...rest] = randomTrades(5, 1000, 30);
  const trades = [first!, { ...first!, id: `${first!.id}1` }, ...rest.map((trade) => ({ ...trade, timeMs: trade.timeMs + 1 }))];
  const [bar] = barsOf(trackerOf('5ticks').eventsIn({ trades: trades.slice(1), problems: [], isFull: true }, trades.at(-1)!.timeMs + 1));
  expect(bar![0]).toBe(trades[2]!.timeMs);
});

test('a reply with an invalid row makes the next bar incomplete', () => {
  const trades = randomTrades(6, 1000, 30);
  const tracker = trackerOf('10ticks');
  const events = tracker.eventsIn({ ...windowOf(trades), problems: ['a row'] }, trades.at(-1)!.timeMs + 1);
  expect(incompleteOf(events)[0]).toBe(true);
});
