// Tests bars built from random trades: a strategy sees exactly the bars of a naive aggregator, each at its own end.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { catalogStore } from '../../src/adapters/catalog/bars/barStore.ts';
import { importTrades } from '../../src/adapters/catalog/import/importTrades.ts';
import { Decimal as Shared } from '../../src/base/number/decimal.ts';
import { seededRng } from '../../src/base/number/rng.ts';
import { loadTradeBars } from '../../src/definition/load/tradeBarFeed.ts';
import { parseFeedInterval } from '../../src/model/interval.ts';
import { formatTime } from '../../src/model/time.ts';
import { Strategy } from '../../src/strategy/strategy.ts';
import { backtest } from '../../src/tasks/backtest/fromCode/backtest.ts';
import { recordResult } from '../fixtures/campaignResults.ts';

/** `npm run campaign -- tradeBars --cases 1000` sets both. */
const { ISOBAR_CASES, ISOBAR_SEED } = process.env;
const SEED = Number(ISOBAR_SEED ?? 1);
const CASES = Number(ISOBAR_CASES ?? 30);
/** Products and sums here have more digits than the 20 of the default. */
const Decimal = Shared.clone({ precision: 80 });
type Decimal = Shared;
const DAY = 86_400_000;
const START = Date.parse('2024-02-27T00:00:00Z');

/** One trade with exact decimals. */
interface Trade {
  readonly id: number;
  readonly ms: number;
  readonly price: Decimal;
  readonly qty: Decimal;
}
/** Trades, and the rule that builds bars from them. */
interface Case {
  readonly trades: readonly Trade[];
  readonly kind: 'ticks' | 'volume' | 'dollar' | 'range';
  readonly amount: Decimal;
}
/** Figures as text, so that what is compared is what is shown. */
interface Bar {
  readonly openMs: number;
  readonly closeMs: number;
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  readonly volume: string;
}
interface NaiveBar extends Bar {
  readonly isThin: boolean;
}

/** Draws trades and a rule from the seed. */
function caseOf(seed: number): Case {
  const rng = seededRng(seed);
  const int = (from: number, to: number) => from + Math.floor(rng.next() * (to - from + 1));
  const pick = <T>(of: readonly T[]): T => of[int(0, of.length - 1)]!;
  const priceDigits = pick([0, 2, 4, 8]);
  const quantityDigits = pick([0, 1, 3, 8]);
  // Up to what exact numbers hold: products and sums are then far beyond them.
  const priceUnits = 10 ** int(1, 10);
  const maxUnits = 10 ** int(1, 13);
  const trades: Trade[] = [];
  let id = int(1, 1e6);
  let ms = START + int(0, DAY - 1);
  let price = Math.ceil((rng.next() + 0.1) * priceUnits);
  const count = int(1, 400);
  const step = DAY * pick([0.001, 0.01, 0.1]);
  for (let at = 0; at < count; at++) {
    const qty = Math.ceil(rng.next() ** 3 * maxUnits) || 1;
    trades.push({ id, ms, price: new Decimal(price).div(`1e${priceDigits}`), qty: new Decimal(qty).div(`1e${quantityDigits}`) });
    id += rng.next() < 0.03 ? int(2, 9) : 1;
    const kind = rng.next();
    // Trades of one ms, a usual distance, the last and the first ms of a day, and days without any.
    if (kind > 0.98) ms = Math.floor(ms / DAY) * DAY + DAY + pick([-1, 0, DAY, 3 * DAY - 1]);
    else if (kind > 0.4) ms += Math.ceil(rng.next() * step);
    ms = Math.max(ms, trades.at(-1)!.ms);
    price = Math.max(1, price + int(-1, 1) * Math.ceil(priceUnits * 0.01 * rng.next()));
  }
  const kind = pick(['ticks', 'volume', 'dollar', 'range'] as const);
  const span = int(1, 30);
  const mean = (of: (trade: Trade) => Decimal) =>
    trades
      .reduce((sum, trade) => sum.plus(of(trade)), new Decimal(0))
      .div(count)
      .times(span);
  const amounts = {
    ticks: () => new Decimal(span),
    volume: () => mean(({ qty }) => qty),
    dollar: () => mean(({ price: at, qty }) => at.times(qty)),
    range: () => new Decimal(priceUnits * 0.01 * rng.next() * span).div(`1e${priceDigits}`),
  };
  // At most 15 digits before the point and 12 behind it: what a name may have.
  const exact = {
    ticks: () => new Decimal(span),
    volume: () => trades.slice(0, span).reduce((sum, { qty }) => sum.plus(qty), new Decimal(0)),
    dollar: () => trades.slice(0, span).reduce((sum, { price: at, qty }) => sum.plus(at.times(qty)), new Decimal(0)),
    range: () => trades[0]!.price.minus(trades[Math.min(span, count) - 1]!.price).abs(),
  };
  // An amount that some trades reach exactly, or miss by the least that a name may say.
  const drawnAmount = rng.next() < 0.5 ? amounts[kind]() : exact[kind]().plus(kind === 'ticks' ? 0 : pick(['0', '1e-12']));
  const amount = Decimal.min(drawnAmount, '1e15').toDecimalPlaces(kind === 'ticks' ? 0 : pick([0, 3, 12, 12, 12]));
  return { trades, kind, amount: amount.lte(0) ? new Decimal(1) : Decimal.min(amount, '999999999999999') };
}

/** Written from docs/data.md#bars-from-trades: lists and decimals, no thought of speed. */
function naiveBars({ trades, kind, amount }: Case): NaiveBar[] {
  const bars: NaiveBar[] = [];
  const days = [...new Set(trades.map(({ ms }) => Math.floor(ms / DAY)))];
  let before: number | null = null;
  days.forEach((day, nth) => {
    const ofDay = trades.filter(({ ms }) => Math.floor(ms / DAY) === day);
    let pending: Trade[] = [];
    let openMs = nth === 0 ? ofDay[0]!.ms : day * DAY;
    let isThin = false;
    const end = (closeMs: number) => {
      const prices = pending.map(({ price }) => price);
      bars.push({
        openMs,
        closeMs,
        open: prices[0]!.toString(),
        high: Decimal.max(...prices).toString(),
        low: Decimal.min(...prices).toString(),
        close: prices.at(-1)!.toString(),
        volume: pending.reduce((sum, { qty }) => sum.plus(qty), new Decimal(0)).toString(),
        isThin,
      });
      pending = [];
      openMs = closeMs;
      isThin = false;
    };
    for (const ms of new Set(ofDay.map((trade) => trade.ms))) {
      for (const trade of ofDay.filter((each) => each.ms === ms)) {
        if (before !== null && trade.id !== before + 1) isThin = true;
        before = trade.id;
        pending.push(trade);
      }
      const prices = pending.map(({ price }) => price);
      const size = {
        ticks: () => new Decimal(pending.length),
        volume: () => pending.reduce((sum, { qty }) => sum.plus(qty), new Decimal(0)),
        dollar: () => pending.reduce((sum, { price, qty }) => sum.plus(price.times(qty)), new Decimal(0)),
        range: () => Decimal.max(...prices).minus(Decimal.min(...prices)),
      }[kind]();
      if (size.gte(amount)) end(ms + 1);
    }
    if (pending.length > 0 && nth + 1 < days.length) end((day + 1) * DAY);
  });
  return bars;
}

const folder = mkdtempSync(join(tmpdir(), 'isobar-tradeBars-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Imports the trades, and returns the catalog. */
async function catalogOf({ trades }: Case, name: string): Promise<string> {
  const catalog = join(folder, name);
  const path = join(folder, 'ABCUSDT-trades.csv');
  const rows = trades.map(({ id, ms, price, qty }) => `${id},${price.toFixed()},${qty.toFixed()},${ms}`);
  writeFileSync(path, `id,price,qty,time\n${rows.join('\n')}\n`);
  await importTrades([path], { catalog });
  return catalog;
}

/** The nearest double of each decimal, as bars have it. */
const asDoubles = ({ openMs, closeMs, open, high, low, close, volume }: Bar): readonly number[] => [
  openMs,
  closeMs,
  ...[open, high, low, close, volume].map(Number),
];

it(`${CASES} sets of random trades give the bars of a naive aggregator`, { timeout: 3_600_000 }, async () => {
  let bars = 0;
  let thin = 0;
  let runs = 0;
  for (let seed = SEED; seed < SEED + CASES; seed++) {
    const randomCase = caseOf(seed);
    const interval = parseFeedInterval(`${randomCase.amount.toFixed()}${randomCase.kind}`)!;
    const where = `seed ${seed}: ${randomCase.trades.length} trades, ${interval}`;
    const expectedBars = naiveBars(randomCase);
    const catalog = await catalogOf(randomCase, `catalog-${seed}`);
    const rng = seededRng(seed * 7 + 1);
    const firstMs = randomCase.trades[0]!.ms;
    const lastMs = randomCase.trades.at(-1)!.ms;
    const timeIn = () => firstMs + Math.floor(rng.next() * (lastMs - firstMs + DAY));
    const fromMs = rng.next() < 0.5 ? undefined : timeIn();
    const toMs = rng.next() < 0.5 ? undefined : timeIn();
    const warmupRows = fromMs === undefined ? 0 : Math.floor(rng.next() * 20);
    const inRun = expectedBars.filter(({ openMs, closeMs }) => openMs >= (fromMs ?? -Infinity) && closeMs <= (toMs ?? Infinity));
    const earlier = expectedBars.filter(({ openMs }) => openMs < (fromMs ?? -Infinity)).slice(warmupRows === 0 ? Infinity : -warmupRows);
    const load = () =>
      loadTradeBars(catalogStore(catalog), { market: 'spot', symbol: 'ABCUSDT', interval }, { fromMs, toMs, warmupRows }, 'feeds');
    if (inRun.length === 0) {
      expect(load, where).toThrow(/no bar of/);
      continue;
    }
    const { bars: builtBars, firstRow, quality } = load();
    const actualBars = Array.from({ length: builtBars.length }, (_, row) =>
      (['openMs', 'closeMs', 'open', 'high', 'low', 'close', 'volume'] as const).map((name) => builtBars[name][row]!),
    );
    expect(actualBars, where).toEqual([...earlier, ...inRun].map(asDoubles));
    expect(firstRow, where).toBe(earlier.length);
    expect(quality.thinBars, where).toBe(inRun.filter(({ isThin }) => isThin).length);
    bars += inRun.length;
    thin += quality.thinBars;
    if (seed % 5 !== 0) continue;
    // What a strategy sees, and when.
    const visibleBars: number[][] = [];
    class Seer extends Strategy {
      override onBar() {
        const { openMs, open, high, low, close, volume } = this.bars.bar;
        visibleBars.push([openMs, this.nowMs, open, high, low, close, volume]);
      }
    }
    await backtest({
      strategy: Seer,
      feeds: { bars: { symbol: 'ABCUSDT', interval } },
      catalog,
      cash: { USDT: '1000' },
      ...(fromMs === undefined ? {} : { from: formatTime(fromMs) }),
      ...(toMs === undefined ? {} : { to: formatTime(toMs) }),
    });
    // As with bars of time, a strategy gets the bar that opened before the run and ends in it.
    const delivered = expectedBars.filter(({ closeMs }) => closeMs > (fromMs ?? -Infinity) && closeMs <= (toMs ?? Infinity));
    expect(visibleBars, where).toEqual(delivered.map(asDoubles));
    runs++;
  }
  recordResult({ cases: CASES, bars, thin, runs });
  console.log(`${CASES} sets of trades, ${bars} bars, ${thin} of them with missing trades; ${runs} runs`);
  expect(bars).toBeGreaterThan(CASES);
});
