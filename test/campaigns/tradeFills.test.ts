// Tests random scripts on random trades: fills, fees and equity equal those of a naive exchange to the last unit.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { storeBars } from '../../src/adapters/catalog/bars/catalog.ts';
import { IMPORTED } from '../../src/adapters/catalog/bars/barQuality.ts';
import { barsOf as withCloseTimes } from '../../src/adapters/catalog/files/columns.ts';
import { importTrades } from '../../src/adapters/catalog/import/importTrades.ts';
import { lots } from '../../src/base/brand.ts';
import { fromScaled } from '../../src/base/number/decimal.ts';
import { instrumentId, type Instrument } from '../../src/model/instrument.ts';
import { ENDINGS, type RunRecord } from '../../src/model/run/run.ts';
import { Strategy, type StrategyClass } from '../../src/strategy/strategy.ts';
import { backtest } from '../../src/tasks/backtest/fromCode/backtest.ts';
import { recordResult } from '../fixtures/campaignResults.ts';
import { barsOf, caseOf, type Act, type Case, type Trade } from './tradeFillsCases.ts';
import { MAKER, NaiveExchange, TAKER, type NaiveFill } from './tradeFillsExchange.ts';

/** `npm run campaign -- tradeFills --cases 1000` sets both variables. */
const { ISOBAR_CASES, ISOBAR_SEED } = process.env;
const SEED = Number(ISOBAR_SEED ?? 1);
const CASE_COUNT = Number(ISOBAR_CASES ?? 40);
const CASH = '100000000';
const INSTRUMENT: Instrument = {
  id: instrumentId('spot', 'ABCUSDT'),
  market: 'spot',
  wireName: 'ABCUSDT',
  base: 'ABC',
  quote: 'USDT',
  priceDigits: 2,
  quantityDigits: 3,
  quoteDigits: 7,
  baseDigits: 8,
  minLots: lots(1),
  makerFeePpm: 0,
  takerFeePpm: 0,
};

const folder = mkdtempSync(join(tmpdir(), 'isobar-tradeFills-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Writes the bars and the trades of the case into a catalog of its own, and returns its folder. */
async function catalogOf({ seed, trades }: Case): Promise<string> {
  const catalog = join(folder, `catalog-${seed}`);
  const bars = barsOf(trades);
  const column = (valueOf: (bar: (typeof bars)[number]) => number) => Float64Array.from(bars, valueOf);
  const raw = {
    length: bars.length,
    openMs: column(({ openMs }) => openMs),
    open: column(({ open }) => open / 100),
    high: column(({ high }) => high / 100),
    low: column(({ low }) => low / 100),
    close: column(({ last }) => last / 100),
    volume: column((bar) => bar.lots / 1000),
  };
  storeBars(catalog, withCloseTimes(raw, INSTRUMENT, '1m'), IMPORTED);
  const path = join(folder, 'ABCUSDT-trades.csv');
  const sideField = ({ taker }: Trade) => (taker === 0 ? '' : `,${taker > 0 ? 'BUY' : 'SELL'}`);
  const rows = trades.map((trade) => `${trade.id},${trade.ticks / 100},${trade.lots / 1000},${trade.ms}${sideField(trade)}`);
  writeFileSync(path, `id,price,qty,time${trades[0]!.taker === 0 ? '' : ',side'}\n${rows.join('\n')}\n`);
  await importTrades([path], { catalog });
  return catalog;
}

/** Returns a strategy that performs the acts of the case at the close of each bar. */
function scriptOf({ script }: Case): StrategyClass {
  return class Script extends Strategy {
    override onBar() {
      for (const act of script.get(this.nowMs) ?? []) this.perform(act);
    }
    /** Carries out one act of the script. */
    private perform({ kind, tag, amount, lots: size, limit, target, stop, trail }: Act): void {
      const openOrders = this.openOrders();
      if (kind === 'cancel') {
        const order = openOrders.find((candidate) => candidate.tag === tag);
        if (order !== undefined) this.cancel(order.id);
        return;
      }
      // The small term repairs a quantity that binary floating point puts just below a whole number of lots.
      const lotsOf = (qty: unknown) => Math.floor(Number(qty) * 1000 + 1e-6);
      const closingLots = openOrders
        .filter(({ side }) => side === 'sell')
        .reduce((sum, { qty, filled }) => sum + lotsOf(qty) - lotsOf(filled), 0);
      if (kind === 'sell' && size > lotsOf(this.position().qty) - closingLots) return;
      const price = (ticks: number, key: string) => (ticks === 0 ? {} : { [key]: fromScaled(ticks, 2) });
      const options = {
        tag,
        ...price(limit, 'limit'),
        ...price(target, 'takeProfit'),
        ...price(stop, 'stopLoss'),
        ...price(trail, 'trailing'),
      };
      const orderSize = amount === null ? { base: fromScaled(size, 3) } : { quote: amount };
      if (kind === 'buy') this.buy(orderSize, options);
      else this.sell(orderSize, options);
    }
  };
}

/** Runs the backtest of a case. */
async function runOf(testCase: Case): Promise<RunRecord> {
  const { terms } = testCase;
  const { record } = await backtest({
    strategy: scriptOf(testCase),
    feeds: { bars: { symbol: 'ABCUSDT', interval: '1m' } },
    catalog: await catalogOf(testCase),
    cash: { USDT: CASH },
    fees: { maker: MAKER, taker: TAKER, in: terms.feesIn },
    fills: {
      executionInterval: 'trades',
      limit: terms.fillsAtTouch ? 'touch' : 'through',
      latencyMs: terms.latencyMs,
      maxVolumeShare: terms.share,
      slippageTicks: terms.slippageTicks,
      slippage: terms.slippage,
      collar: terms.collar,
      ...(terms.queue === null ? {} : { queue: terms.queue }),
    },
  });
  return record;
}

/** Returns the fills of a run in the form of the naive exchange. */
function fillsOf({ fills }: RunRecord): NaiveFill[] {
  return Array.from({ length: fills.length }, (_, fillIndex) => ({
    side: fills.side[fillIndex] === 0 ? 'buy' : 'sell',
    isMaker: fills.isMaker[fillIndex] === 1,
    price: withoutZeros(fromScaled(fills.price[fillIndex]!, 2)),
    qty: withoutZeros(fromScaled(fills.lots[fillIndex]!, 3)),
    fee: withoutZeros(fromScaled(fills.fee[fillIndex]!, fills.feeInBase[fillIndex] === 1 ? 8 : 7)),
    ms: fills.timeMs[fillIndex]!,
  }));
}
/** Returns the tags of the orders that were open at the end. */
function openTags({ orders }: RunRecord): string[] {
  const tags = Array.from({ length: orders.length }, (_, orderIndex) =>
    ENDINGS[orders.ending[orderIndex]!] === 'open' ? orders.texts[orders.slot[orderIndex]!]! : '',
  );
  return tags.filter((tag) => /^t\d/.test(tag)).toSorted();
}

/** Returns the first fill that differs, or null. */
function firstDifference(actual: readonly NaiveFill[], expected: readonly NaiveFill[]): string | null {
  for (let fillIndex = 0; fillIndex < Math.max(actual.length, expected.length); fillIndex++) {
    const actualText = JSON.stringify(actual[fillIndex]);
    const expectedText = JSON.stringify(expected[fillIndex]);
    if (actualText !== expectedText) return `fill ${fillIndex}: ${actualText}, but the naive exchange has ${expectedText}`;
  }
  return null;
}
/** Returns a decimal without zeros at its end. */
const withoutZeros = (text: string): string => (text.includes('.') ? text.replace(/\.?0+$/, '') : text);

it(`${CASE_COUNT} random scripts fill against trades as a naive exchange fills them`, { timeout: 3_600_000 }, async () => {
  const counts = { fills: 0, makers: 0, stops: 0, capped: 0 };
  for (let seed = SEED; seed < SEED + CASE_COUNT; seed++) {
    const testCase = caseOf(seed);
    const naive = new NaiveExchange(testCase, CASH);
    naive.run();
    const record = await runOf(testCase);
    const where = `seed ${seed}: ${JSON.stringify(testCase.terms)}`;
    expect(firstDifference(fillsOf(record), naive.fills), where).toBe(null);
    expect(openTags(record), where).toEqual(naive.openTags);
    const { timeMs, units } = record.equity;
    // A fee in coins leaves a fraction of a lot, whose value is a fraction of a unit.
    const maxDifferenceUnits = testCase.terms.feesIn === 'quote' ? 0 : 1;
    expect(record.equity.length, where).toBe(naive.equity.length);
    naive.equity.forEach(({ ms, value }, index) => {
      expect(timeMs[index], where).toBe(ms);
      const expectedUnits = Math.round(Number(value) * 10 ** INSTRUMENT.quoteDigits);
      const differenceUnits = Math.abs(units[index]! - expectedUnits);
      expect(differenceUnits, `${where} at ${ms}: ${value}`).toBeLessThanOrEqual(maxDifferenceUnits);
    });
    counts.fills += naive.fills.length;
    counts.makers += naive.fills.filter(({ isMaker }) => isMaker).length;
    counts.stops += naive.firedStops;
    counts.capped += naive.restedAtCollar;
  }
  recordResult({ cases: CASE_COUNT, ...counts });
  const { fills, makers, stops, capped } = counts;
  console.log(
    `${CASE_COUNT} scripts, ${fills} fills, ${makers} of them as maker; ${stops} stops, ${capped} orders that rested at their collar`,
  );
  expect(fills).toBeGreaterThan(CASE_COUNT);
});
