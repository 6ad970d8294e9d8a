// Tests `fills.executionInterval: trades` in a definition: the loaded feeds, the warnings, and the rejected combinations.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testInstrument } from '../../../test/fixtures/syntheticBars.ts';
import { storeBars } from '../../adapters/catalog/bars/catalog.ts';
import { IMPORTED } from '../../adapters/catalog/bars/barQuality.ts';
import { barsOf } from '../../adapters/catalog/files/columns.ts';
import { importTrades } from '../../adapters/catalog/import/importTrades.ts';
import { Strategy } from '../../strategy/strategy.ts';
import { backtest } from '../../tasks/backtest/fromCode/backtest.ts';
import type { Definition } from '../text/schema.ts';

const folder = mkdtempSync(join(tmpdir(), 'isobar-tradeFeeds-'));
afterAll(() => rmSync(folder, { recursive: true }));
const START_MS = Date.UTC(2024, 0, 1);
const MINUTES = 10;

/** Writes a catalog of minute bars, and imports `rows` as their trades. */
async function catalogOf(name: string, rows: readonly string[]): Promise<string> {
  const catalog = join(folder, name);
  const column = (value: number) => new Float64Array(MINUTES).fill(value);
  const openMs = Float64Array.from({ length: MINUTES }, (_, minute) => START_MS + minute * 60_000);
  const raw = { length: MINUTES, openMs, open: column(100), high: column(102), low: column(100), close: column(101), volume: column(3) };
  storeBars(catalog, barsOf(raw, testInstrument(), '1m'), IMPORTED);
  const path = join(folder, 'BTCUSDT-trades.csv');
  writeFileSync(path, `id,price,qty,time,is_buyer_maker\n${rows.join('\n')}\n`);
  await importTrades([path], { catalog });
  return catalog;
}
/** Three trades a minute, at 100, 102 and 101. */
const rows = Array.from(
  { length: 3 * MINUTES },
  (_, tradeIndex) => `${tradeIndex + 1},${[100, 102, 101][tradeIndex % 3]},1,${START_MS + tradeIndex * 20_000},true`,
);

class BuyOnce extends Strategy {
  override onBar() {
    if (this.position().isFlat && this.openOrders().length === 0) this.buy({ quote: '50' });
  }
}
const run = (catalog: string, fills: Definition['fills'], overrides: object = {}) =>
  backtest({ strategy: BuyOnce, feeds: { bars: { symbol: 'BTCUSDT', interval: '1m' } }, catalog, cash: '1000', fills, ...overrides });

describe('fills against trades', () => {
  let wholeCatalog: string;
  let catalogWithoutHigh: string;
  beforeAll(async () => {
    wholeCatalog = await catalogOf('whole', rows);
    catalogWithoutHigh = await catalogOf('holed', rows.toSpliced(7, 1));
  });

  it('fills against trades happen at the trades, between the bars, with the latency of the run', async () => {
    const { fills, summary, record } = await run(wholeCatalog, { executionInterval: 'trades', latencyMs: 500 });
    // The order is decided at 00:01:00 and arrives 500 ms later, which is after the trade at 00:01:00.
    expect([fills.timeMs[0]! - START_MS, fills.price[0]]).toEqual([80_000, 102]);
    expect(record.feeds.map(({ bars, isExecutionOnly }) => [bars.interval, isExecutionOnly ?? false])).toEqual([
      ['1m', false],
      ['trades', true],
    ]);
    const texts = summary.warnings.filter(({ code }) => code === 'RUN_TRADE_FILLS').map(({ text }) => text);
    expect(texts).toEqual([expect.stringMatching(/BTCUSDT \(30\): whole orders.*no order book.*filled when a trade was beyond it/)]);
    expect(summary.envelope).toBeUndefined();
  });

  it('fills against trades report how many ids are missing, and the assumed queue', async () => {
    const skipFourIds = (row: string) => row.replace(/^\d+/, (id) => `${Number(id) + 4}`);
    const rowsWithGap = rows.map((row, index) => (index < 15 ? row : skipFourIds(row)));
    const catalogWithGap = await catalogOf('gaps', rowsWithGap);
    const { summary } = await run(catalogWithGap, { executionInterval: 'trades', queue: { aheadTrades: '3', cancels: '0.5' } });
    const texts = new Map(summary.warnings.map(({ code, text }) => [code, text]));
    expect(texts.get('DATA_TRADE_GAPS')).toBe('trades are missing: BTCUSDT 4 ids in 1 run; nothing could fill against them');
    expect(texts.get('RUN_TRADE_FILLS')).toContain('assumed, not seen: 3 average trades; a share of 0.5 of it is cancelled');
  });

  it.each<[string, Definition['fills'], string]>([
    ['both keys', { ['inside' as const]: '1m', executionInterval: 'trades' }, 'expected it or executionInterval, which is the same key'],
    ['a queue without trades', { queue: { ahead: '1' } }, 'fills.queue: expected fills against trades beside it'],
    [
      'a queue of two kinds',
      { executionInterval: 'trades', queue: { ahead: '1', aheadTrades: '1' } },
      'expected either ahead or aheadTrades',
    ],
    ['an empty queue', { executionInterval: 'trades', queue: {} }, 'expected either ahead or aheadTrades'],
    [
      'a queue that fills at a touch',
      { executionInterval: 'trades', limit: 'touch', queue: { ahead: '1' } },
      'fills.limit: expected through',
    ],
    ['market impact', { executionInterval: 'trades', impact: { coefficient: '1' } }, 'fills.impact: expected fills in bars'],
  ])('fills against trades reject %s', async (_, fills, message) => {
    await expect(run(wholeCatalog, fills)).rejects.toThrow(message);
  });

  it('fills against trades reject trades that do not reach the prices of the bars, and a run without trades', async () => {
    await expect(run(catalogWithoutHigh, { executionInterval: 'trades' })).rejects.toThrow(
      /fills.executionInterval: expected trades that reach .* every 1m bar of BTCUSDT, those of 2024-01-01T00:02:00.000Z do not/,
    );
    // A run that ends before the missing trade is accepted.
    const { fills } = await run(catalogWithoutHigh, { executionInterval: 'trades' }, { to: '2024-01-01 00:02' });
    expect(fills.length).toBe(1);
    rmSync(join(catalogWithoutHigh, 'spot', 'BTCUSDT', 'trades'), { recursive: true });
    await expect(run(catalogWithoutHigh, { executionInterval: 'trades' })).rejects.toThrow('has no trades from 2024-01-01T00:00:00.000Z');
  });
});
