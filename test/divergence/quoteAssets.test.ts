// Tests `isobar parity` of bots with cash in two quote assets: the report names planted causes, and adds up to a simple sum over the journal.

import { describe, expect, test } from 'vitest';
import { lots } from '../../src/base/brand.ts';
import { Decimal } from '../../src/base/number/decimal.ts';
import { seededRng } from '../../src/base/number/rng.ts';
import { Strategy } from '../../src/index.ts';
import type { BarColumns } from '../../src/model/bars/bars.ts';
import { instrumentId, type Instrument } from '../../src/model/instrument.ts';
import type { Divergence, DivergentWhat } from '../../src/tasks/parity/divergences.ts';
import { START_MS } from '../simulation/plans.ts';
import {
  closeOf,
  comparePlanted,
  FIRST_ROW,
  haltDuringRow,
  HOUR_MS,
  LATENCY_MS,
  QUOTE_CASH,
  ROWS,
  withFees,
  withFills,
  type PlantedDifference,
} from './planted.ts';
import { total } from './netInJournal.ts';
import { roundedToUnit, journalOf, netInUsdt, type JournalMembers } from './twoQuoteNet.ts';

/** Returns a spot pair. */
const spotPair = (base: string, quote: string, priceDigits: number, quantityDigits: number): Instrument => ({
  id: instrumentId('spot', `${base}${quote}`),
  market: 'spot',
  wireName: `${base}${quote}`,
  base,
  quote,
  priceDigits,
  quantityDigits,
  quoteDigits: 8,
  baseDigits: 8,
  minLots: lots(1),
  makerFeePpm: 1000,
  takerFeePpm: 1000,
});

/** Returns hourly bars of a seeded random walk from `startTicks`, by steps of up to `stepTicks`. */
function walkBars(instrument: Instrument, startTicks: number, stepTicks: number, seed: number): BarColumns {
  const random = seededRng(seed);
  const scale = 10 ** instrument.priceDigits;
  const column = (): Float64Array => new Float64Array(ROWS);
  const openMs = column();
  const closeMs = column();
  const open = column();
  const high = column();
  const low = column();
  const close = column();
  let closeTicks = startTicks;
  for (let row = 0; row < ROWS; row++) {
    const openTicks = closeTicks + Math.round((random.next() - 0.5) * stepTicks * 0.2);
    closeTicks = openTicks + Math.round((random.next() - 0.5) * 2 * stepTicks);
    openMs[row] = START_MS + row * HOUR_MS;
    closeMs[row] = START_MS + (row + 1) * HOUR_MS;
    open[row] = openTicks / scale;
    close[row] = closeTicks / scale;
    high[row] = (Math.max(openTicks, closeTicks) + Math.round(random.next() * stepTicks)) / scale;
    low[row] = (Math.min(openTicks, closeTicks) - Math.round(random.next() * stepTicks)) / scale;
  }
  return { instrument, interval: '1h', length: ROWS, openMs, closeMs, open, high, low, close, volume: column().fill(1000) };
}

/** The bars of both feeds, by name. */
const quoteAssets = {
  btc: walkBars(spotPair('BTC', 'USDT', 2, 5), 6_000_000, 40_000, 3),
  eth: walkBars(spotPair('ETH', 'BTC', 5, 3), 5000, 60, 5),
};

/** Trades ETHBTC by shares of the equity and by resting limits, and BTCUSDT by amounts. */
class TwoAssets extends Strategy {
  barCount = 0;
  btc = this.feed('btc');
  eth = this.feed('eth');
  override onBar() {
    const barInCycle = this.barCount++ % 6;
    if (barInCycle === 0) this.buy({ equity: '0.2' }, { feed: this.eth });
    if (barInCycle === 1) this.buy({ quote: '5000' }, { feed: this.btc });
    if (barInCycle === 2) this.buy({ base: '2' }, { feed: this.eth, limit: this.eth.close.value * 0.99 });
    if (barInCycle === 4) this.exit(this.eth);
    if (barInCycle === 5) this.exit(this.btc);
  }
}

/** Returns what the fills of each order received less what they paid, in USDT at the close before the hour of each fill. */
function moneyByOrder(records: readonly JournalMembers[]): ReadonlyMap<number, string> {
  const { openMs, close } = quoteAssets.btc;
  const orderByCid = new Map(records.flatMap(({ cid, order }) => (order === undefined ? [] : [[cid, order] as const])));
  const sumByOrder = new Map<number, Decimal>();
  for (const { k, cid, symbol, side, notional, fee, feeCoin, executedMs } of records) {
    if (k !== 'FILL') continue;
    const isInBtc = symbol!.includes('ETH');
    const rowOfFill = openMs.indexOf(executedMs! - (executedMs! % HOUR_MS));
    const rate = isInBtc ? new Decimal(String(close[rowOfFill - 1])) : new Decimal(1);
    const inUsdt = (amount: string): Decimal => roundedToUnit(new Decimal(amount).times(rate));
    const isFeeInQuote = feeCoin === (isInBtc ? 'BTC' : 'USDT');
    const feePaid = isFeeInQuote ? inUsdt(fee!) : new Decimal(0);
    const received = inUsdt(notional!).times(side === 'buy' ? -1 : 1);
    const money = received.minus(feePaid);
    const order = orderByCid.get(cid)!;
    sumByOrder.set(order, (sumByOrder.get(order) ?? new Decimal(0)).plus(money));
  }
  return new Map([...sumByOrder].map(([order, money]) => [order, money.toFixed()]));
}

/** Returns the net profit of the bot in this folder. The warm-up ends with the row before the first one. */
const netIn = (folder: string): string => netInUsdt(journalOf(folder), QUOTE_CASH, quoteAssets.btc.close[FIRST_ROW - 1]!);

/** Returns the bars with one price of one row moved by `ticks`. Bars of the other symbol stay. */
const withPriceMoved =
  (symbol: string, field: 'open' | 'close', row: number, ticks: number) =>
  (bars: BarColumns): BarColumns => {
    if (bars.instrument.wireName !== symbol) return bars;
    const scale = 10 ** bars.instrument.priceDigits;
    return { ...bars, [field]: bars[field].map((price, index) => (index === row ? Math.round(price * scale + ticks) / scale : price)) };
  };

/** A planted difference, and what the report must say about it. `name` stands in the test title. */
interface QuoteAssetCase {
  readonly name: string;
  readonly difference: PlantedDifference;
  readonly cause: Divergence;
  /** Kind of the first divergence, and about when it happens. */
  readonly what: DivergentWhat;
  readonly timeMs: number;
}

const CASES: readonly QuoteAssetCase[] = [
  {
    name: 'another open of ETHBTC',
    difference: { changeCatalog: withPriceMoved('ETHBTC', 'open', FIRST_ROW + 1, 7) },
    cause: 'data revision',
    what: 'fill',
    timeMs: closeOf(FIRST_ROW),
  },
  {
    name: 'another close of the conversion',
    difference: { changeCatalog: withPriceMoved('BTCUSDT', 'close', FIRST_ROW + 6, 9000) },
    cause: 'data revision',
    what: 'bar',
    timeMs: closeOf(FIRST_ROW + 6),
  },
  {
    name: 'orders that arrive ten minutes later',
    difference: withFills({ latencyMs: LATENCY_MS }),
    cause: 'latency',
    what: 'fill',
    timeMs: closeOf(FIRST_ROW),
  },
  {
    name: 'slippage',
    difference: withFills({ slippagePpm: 2000 }),
    cause: 'fill model',
    what: 'fill',
    timeMs: closeOf(FIRST_ROW),
  },
  {
    name: 'another fee rate',
    difference: withFees({ makerPpm: 1500, takerPpm: 1500 }),
    cause: 'fee',
    what: 'fee',
    timeMs: closeOf(FIRST_ROW),
  },
  {
    name: 'bars that closed while the bot was down',
    difference: { actsByRow: { 5: ({ restart }) => restart(3) } },
    cause: 'restart',
    what: 'decision',
    timeMs: closeOf(FIRST_ROW + 5),
  },
  {
    name: 'a halt by the operator',
    difference: { actsByRow: haltDuringRow(6, 'OPERATOR', 'a look') },
    cause: 'operator',
    what: 'order',
    timeMs: closeOf(FIRST_ROW + 6),
  },
];

describe('a bot with cash in two quote assets', () => {
  test('a bot with cash in two quote assets equals its backtest over a restart between two bars', { timeout: 120_000 }, async () => {
    let net = '';
    const report = await comparePlanted({ strategy: TwoAssets, quoteAssets, actsByRow: { 9: ({ restart }) => restart(0) } }, (folder) => {
      net = netIn(folder);
    });
    expect(report).toMatchObject({ equal: true, first: null, cause: null, bridge: [], residual: '0', trades: [] });
    expect(report.net).toEqual({ asset: 'USDT', backtest: net, live: net });
    expect(report.fills).toBeGreaterThan(15);
  });

  test.each(CASES)(
    'the report about a bot with two quote assets names the cause and adds up to the net profit of the journal: $name',
    { timeout: 120_000 },
    async ({ difference, cause, what, timeMs }) => {
      let net = '';
      let moneyOfOrders: ReadonlyMap<number, string> = new Map();
      const report = await comparePlanted({ strategy: TwoAssets, quoteAssets, ...difference }, (folder) => {
        net = netIn(folder);
        moneyOfOrders = moneyByOrder(journalOf(folder));
      });
      expect(report).toMatchObject({ equal: false, cause, first: { what }, residual: '0' });
      // A request that waits for a reply leaves up to two minutes after the close.
      expect(Math.abs(report.first!.time - timeMs)).toBeLessThan(120_000);
      expect(report.net.live).toBe(net);
      expect(report.bridge.map((step) => step.cause)).toEqual([cause]);
      expect(total([report.net.backtest, ...report.bridge.map(({ amount }) => amount)])).toBe(total([net]));
      expect(report.trades.length).toBeGreaterThan(0);
      for (const { order, live } of report.trades) expect(live).toBe(order === null ? '0' : (moneyOfOrders.get(order) ?? '0'));
      const parts = [...report.trades, report.funding, report.held].map(({ amount }) => amount);
      expect(total([report.net.backtest, ...parts])).toBe(total([net]));
    },
  );
});
