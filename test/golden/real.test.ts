// The definitions on real bars run after the import that their own comment names, and pay the funding of the files; without a catalog they say
// how to make one.

import { mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Decimal } from 'decimal.js';
import { backtest, type BacktestResult } from 'isobar/run';
import { afterAll, describe, expect, it } from 'vitest';
import { sharedFile } from '../fixtures/sharedData.ts';
import { definitionsIn, isobar, placed } from './definitions.ts';
import { fundingByHand } from './fundingByHand.ts';

/** Where the files lie that the comments name: of spot in one folder, of futures as the shared data has them. */
const SPOT = sharedFile('klines', 'binance-spot');
const UNIVERSE = sharedFile('klines', 'binance-um-universe');
const FUTURES = ['klines', 'mark', 'funding'] as const;
const folder = mkdtempSync(join(tmpdir(), 'isobar-real-'));
afterAll(() => rmSync(folder, { recursive: true }));

for (const source of [SPOT, UNIVERSE]) {
  if (source !== null) for (const name of readdirSync(source)) symlinkSync(join(source, name), join(folder, name));
}
for (const kind of FUTURES) {
  const source = sharedFile(kind);
  if (source !== null) symlinkSync(source, join(folder, kind));
}
const FUNDING = sharedFile('funding', 'binance-um-2024');
const OF_FUTURES = ['perpetualTrend', 'fundingFade', 'fundingCarry'];
const imported = new Set<string>();
const made = new Map<string, BacktestResult>();

/** Imports what the comment of the definition names, and runs it, once. */
async function resultOf(file: string, bars: readonly string[]): Promise<BacktestResult> {
  const known = made.get(file);
  if (known !== undefined) return known;
  for (const command of bars.filter((each) => !imported.has(each))) isobar(folder, command);
  bars.forEach((command) => imported.add(command));
  const result = await backtest({ definition: file, set: placed(file, folder) });
  made.set(file, result);
  return result;
}

describe.each(definitionsIn('backtests/real'))('backtests/real: $name', ({ name, file, bars }) => {
  it.skipIf(SPOT === null || UNIVERSE === null)('runs on the bars that its comment imports', async () => {
    const { summary } = await resultOf(file, bars);
    expect(summary.dataQuality.synthetic).toBe(false);
    // A pair that is held for what it is paid has few trades.
    expect(summary.trades.trades).toBeGreaterThan(file.endsWith('fundingCarry.yaml') ? 1 : 20);
    expect(summary.orders.unknown).toBe(0);
    expect(Number(summary.run.endEquity)).toBeGreaterThan(0);
  });

  if (OF_FUTURES.includes(name)) {
    it.skipIf(FUNDING === null)('has paid and received the funding of the files, and its bridge adds up to the last unit', async () => {
      const result = await resultOf(file, bars);
      const { costBridge, run } = result.summary;
      const symbols = result.record.instruments.filter(({ market }) => market === 'futures').map(({ wireName }) => wireName);
      const byManual = symbols.reduce((sum, symbol) => sum.plus(fundingByHand(result, symbol)), new Decimal(0));
      expect(byManual.isZero()).toBe(false);
      expect(costBridge.funding).toBe(byManual.toFixed());
      const { netPnl, ...parts } = costBridge;
      expect(
        Object.values(parts)
          .reduce((sum, part) => sum.plus(part), new Decimal(0))
          .toFixed(),
      ).toBe(netPnl);
      expect(new Decimal(run.endEquity).minus(run.startEquity).toFixed()).toBe(netPnl);
      const sources = run.instruments.map(({ id, markSource }) => [id.startsWith('futures:'), markSource.includes('mark klines 1h')]);
      expect(sources.filter(([isFutures, isMarked]) => isFutures !== isMarked)).toEqual([]);
    });
  }

  it('says what to import where there is no catalog', async () => {
    const failed = backtest({ definition: file, set: placed(file, join(folder, 'nowhere')) });
    await expect(failed).rejects.toThrow(/catalog: expected a catalog folder, got '.*nowhere.*'/);
    await expect(failed).rejects.toMatchObject({ remedy: expect.stringContaining('isobar data import FILE') });
  });
});
