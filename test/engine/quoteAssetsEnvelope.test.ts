// Tests the envelope of runs with cash in two quote assets against an enumeration of every order of events. It contains all of their
// results, and mostly ends at the extremes.

import { expect, test } from 'vitest';
import { Decimal } from '../../src/base/number/decimal.ts';
import { seededRng } from '../../src/base/number/rng.ts';
import { Strategy, type OrderId } from '../../src/index.ts';
import { instrumentId } from '../../src/model/instrument.ts';
import { envelopeOf } from '../../src/tasks/backtest/run/envelope.ts';
import { prepareBacktest, runRecordOf } from '../../src/tasks/backtest/run/runBacktest.ts';
import { barsOfRows, planFor, spotInstrument, type PriceRow } from './backtestFixture.ts';

const SYMBOLS = [
  spotInstrument('BTC', { baseDigits: 8, quantityDigits: 5 }),
  spotInstrument('ETH', { id: instrumentId('spot', 'ETHBTC'), wireName: 'ETHBTC', quote: 'BTC', priceDigits: 5, quantityDigits: 3 }),
] as const;
/** By symbol: units of the quote asset in one tick of one lot, 10^(8 - digits of price and quantity). */
const UNITS_PER_TICK_LOT = [10n, 1n] as const;
/** By symbol: the first price and the largest move of a row, in ticks, and the lots of an entry. */
const WALKS = [
  { startTicks: 6_000_000, stepTicks: 30_000, entryLots: 20_000 },
  { startTicks: 5000, stepTicks: 12, entryLots: 2000 },
] as const;
const FEE_PPM = 1000n;
const ENTRIES = 4;
/** Each entry has four rows: the row of its decision, and three in which it may fill and end. */
const ROWS_PER_ENTRY = 4;
const CASH = { USDT: '100000', BTC: '1' };

/** One entry with its stop. */
interface Entry {
  readonly symbol: 0 | 1;
  /** Ticks; null: at the market. */
  readonly limit: number | null;
  readonly stop: number;
  readonly target: number;
}
/** A few entries over few rows, so that every order of events can be enumerated. */
interface TinyCase {
  /** By symbol. */
  readonly rows: readonly [readonly PriceRow[], readonly PriceRow[]];
  readonly entries: readonly Entry[];
}

/** Returns small rows, and entries whose limits, stops and targets often lie on their highs and lows. */
function tinyCase(seed: number): TinyCase {
  const rng = seededRng(seed);
  const pick = (below: number): number => Math.floor(rng.next() * below);
  const rows = WALKS.map(({ startTicks, stepTicks }) => {
    let price: number = startTicks;
    return Array.from({ length: ENTRIES * ROWS_PER_ENTRY + 1 }, (): PriceRow => {
      const open = price + pick(3) - 1;
      price = open + pick(2 * stepTicks + 1) - stepTicks;
      return [open, Math.max(open, price) + pick(stepTicks), Math.min(open, price) - pick(stepTicks), price];
    });
  });
  const entries = Array.from({ length: ENTRIES }, (_, index): Entry => {
    const symbol = pick(4) === 0 ? 0 : 1;
    const entryRows = rows[symbol]!.slice(index * ROWS_PER_ENTRY + 1, (index + 1) * ROWS_PER_ENTRY);
    const [, , , close] = rows[symbol]![index * ROWS_PER_ENTRY]!;
    const [, high, low] = entryRows[pick(entryRows.length)]!;
    const { stepTicks } = WALKS[symbol];
    const limit = pick(2) === 0 ? null : Math.min(close - 1, low + pick(3) - 1);
    const price = limit ?? close;
    return { symbol, limit, stop: price - 2 - pick(stepTicks), target: Math.max(price + 2, high + pick(3) - 1) };
  });
  return { rows: [rows[0]!, rows[1]!], entries };
}

/** Returns a strategy that places the entries of a case. */
function strategyOf({ entries }: TinyCase, readsCash: boolean) {
  return class Scripted extends Strategy {
    byName = ['btc', 'eth'].map((name) => this.feed(name));
    row = 0;
    working: OrderId | null = null;
    override onBar() {
      if (readsCash) this.cashIn('BTC');
      const row = this.row++;
      const entry = entries[Math.floor(row / ROWS_PER_ENTRY)];
      if (entry === undefined) return;
      const feed = this.byName[entry.symbol]!;
      if (row % ROWS_PER_ENTRY === ROWS_PER_ENTRY - 1) {
        if (this.working !== null) this.cancel(this.working);
        this.exit(feed);
      }
      if (row % ROWS_PER_ENTRY > 0) return;
      const { priceDigits, quantityDigits } = SYMBOLS[entry.symbol];
      const price = (ticks: number): string => new Decimal(ticks).div(10 ** priceDigits).toFixed();
      const base = new Decimal(WALKS[entry.symbol].entryLots).div(10 ** quantityDigits).toFixed();
      this.working = this.buy(
        { base },
        {
          feed,
          stopLoss: price(entry.stop),
          takeProfit: price(entry.target),
          ...(entry.limit === null ? {} : { limit: price(entry.limit) }),
        },
      );
    }
  };
}

/** Cash of both assets in units, and whether the entry waits, is open or has ended. */
interface EntryState {
  readonly cash: readonly [bigint, bigint];
  readonly phase: 'waiting' | 'open' | 'over';
}
const stateKey = ({ cash, phase }: EntryState): string => `${cash.join(' ')} ${phase}`;

/** Books a trade of the entry's lots at a price, with its fee. */
function traded(state: EntryState, symbol: 0 | 1, ticks: number, isBuy: boolean): EntryState {
  const notional = BigInt(ticks) * BigInt(WALKS[symbol].entryLots) * UNITS_PER_TICK_LOT[symbol];
  const fee = (notional * FEE_PPM * 2n + 1_000_000n) / 2_000_000n;
  const cash: [bigint, bigint] = [...state.cash];
  cash[symbol] += (isBuy ? -notional : notional) - fee;
  return { cash, phase: isBuy ? 'open' : 'over' };
}

/** Takes an entry through one path of a row. A limit that is only touched fills if its flag is set. */
function walkPath(before: EntryState, entry: Entry, path: readonly number[], fillsEntry: boolean, fillsTarget: boolean): EntryState {
  const { symbol, limit, stop, target } = entry;
  let state = before;
  path.forEach((price, index) => {
    if (index === 0) {
      if (state.phase === 'waiting' && (limit === null || price <= limit)) state = traded(state, symbol, price, true);
      if (state.phase === 'open' && (price <= stop || price >= target)) state = traded(state, symbol, price, false);
      return;
    }
    const lastPrice = path[index - 1]!;
    if (price < lastPrice) {
      const isReached = limit !== null && (price < limit || (price === limit && fillsEntry));
      if (state.phase === 'waiting' && isReached) state = traded(state, symbol, limit, true);
      if (state.phase === 'open' && price <= stop) state = traded(state, symbol, stop, false);
    } else if (state.phase === 'open' && (price > target || (price === target && fillsTarget)))
      state = traded(state, symbol, target, false);
  });
  return state;
}

/** Returns the lowest and the highest net profit in USDT over every order of events. */
function profitRange({ rows, entries }: TinyCase): readonly [Decimal, Decimal] {
  const startUnits = [new Decimal(CASH.USDT), new Decimal(CASH.BTC)].map((amount) => BigInt(amount.times(1e8).toFixed()));
  let states: readonly EntryState[] = [{ cash: [startUnits[0]!, startUnits[1]!], phase: 'over' }];
  const unique = (list: readonly EntryState[]): readonly EntryState[] => [
    ...new Map(list.map((state) => [stateKey(state), state])).values(),
  ];
  entries.forEach((entry, index) => {
    states = states.map(({ cash }): EntryState => ({ cash, phase: 'waiting' }));
    for (let row = 1; row < ROWS_PER_ENTRY; row++) {
      const [open, high, low, close] = rows[entry.symbol][index * ROWS_PER_ENTRY + row]!;
      const paths = [[open, low, high, close], [open, high, low, close]]; // prettier-ignore
      const flags = [false, true];
      states = unique(
        states.flatMap((state) =>
          paths.flatMap((path) =>
            flags.flatMap((fillsEntry) => flags.map((fillsTarget) => walkPath(state, entry, path, fillsEntry, fillsTarget))),
          ),
        ),
      );
    }
    const [nextOpen] = rows[entry.symbol][(index + 1) * ROWS_PER_ENTRY]!;
    states = unique(states.map((state) => (state.phase === 'open' ? traded(state, entry.symbol, nextOpen, false) : state)));
  });
  const valueAt = ([usdt, btc]: readonly [bigint, bigint], ticks: number): Decimal =>
    new Decimal(String(btc)).times(ticks).div(100).toDecimalPlaces(0, Decimal.ROUND_HALF_UP).plus(String(usdt)).div(1e8);
  const lastClose = rows[0].at(-1)![3];
  const start = valueAt([startUnits[0]!, startUnits[1]!], rows[0][0]![0]);
  const nets = states.map(({ cash }) => valueAt(cash, lastClose).minus(start));
  return [Decimal.min(...nets), Decimal.max(...nets)];
}

/** Largest difference of a bound from its extreme that counts as rounding, in USDT. 8 units of BTC are half a cent. */
const ROUNDING_USDT = 0.06;

/** Runs a case, and returns its envelope. */
async function envelopeFor(tiny: TinyCase, readsCash = false) {
  const [btc, eth] = tiny.rows.map((rows, symbol) => barsOfRows(rows, SYMBOLS[symbol]));
  const plan = planFor({
    strategies: [strategyOf(tiny, readsCash)],
    feeds: { btc: btc!, eth: eth! },
    fees: { makerPpm: 1000, takerPpm: 1000, in: 'quote' },
    cash: CASH,
    convert: { BTC: SYMBOLS[0].id },
  });
  const prepared = await prepareBacktest(plan, { keepsDecisions: true });
  prepared.loop(prepared.engine);
  const record = runRecordOf(plan, prepared, false);
  return (await envelopeOf(plan, prepared, record, null))!;
}

test(
  'the envelope contains every enumerated order of events, and most bounds end at the extremes of the enumeration',
  { timeout: 120_000 },
  async () => {
    let bounds = 0;
    let spreadCases = 0;
    let tightBounds = 0;
    let ambiguousCases = 0;
    for (let seed = 1; seed <= 150; seed++) {
      const tiny = tinyCase(seed);
      const [low, high] = profitRange(tiny);
      const { envelope, band } = await envelopeFor(tiny);
      const { netProfit, kind, notBoundBecause, ambiguousFills } = envelope;
      expect(notBoundBecause, `seed ${seed}`).toEqual([]);
      if (kind === 'bound') bounds++;
      if (ambiguousFills > 0) ambiguousCases++;
      if (!low.equals(high)) spreadCases++;
      expect(Number(netProfit.low), `seed ${seed}: low`).toBeLessThanOrEqual(low.toNumber() + 1e-9);
      expect(Number(netProfit.high), `seed ${seed}: high`).toBeGreaterThanOrEqual(high.toNumber() - 1e-9);
      const endsAtLow = low.minus(netProfit.low).lessThan(ROUNDING_USDT);
      const endsAtHigh = new Decimal(netProfit.high).minus(high).lessThan(ROUNDING_USDT);
      if (!low.equals(high) && endsAtLow && endsAtHigh) tightBounds++;
      if (!low.equals(high)) expect(band, `seed ${seed}`).not.toBeNull();
    }
    expect(bounds).toBe(150);
    expect(ambiguousCases).toBeGreaterThan(50);
    expect(spreadCases).toBeGreaterThan(50);
    // A hull may be wider than the paths inside it, but seldom is.
    expect(tightBounds / spreadCases).toBeGreaterThan(0.8);
  },
);

test('further lanes join the envelope of a strategy that reads its cash, which is a scenario', { timeout: 120_000 }, async () => {
  let scenarios = 0;
  for (let seed = 1; seed <= 30; seed++) {
    const tiny = tinyCase(seed);
    const [low, high] = profitRange(tiny);
    const { netProfit, kind, notBoundBecause } = (await envelopeFor(tiny, true)).envelope;
    if (kind === 'scenario') scenarios++;
    if (kind === 'scenario') expect(notBoundBecause).toEqual(['the strategy reads its equity or cash']);
    expect(Number(netProfit.low), `seed ${seed}: low`).toBeLessThanOrEqual(low.toNumber() + 1e-9);
    expect(Number(netProfit.high), `seed ${seed}: high`).toBeGreaterThanOrEqual(high.toNumber() - 1e-9);
  }
  expect(scenarios).toBeGreaterThan(20);
});
