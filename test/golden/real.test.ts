// Tests the shipped definitions on real bars: they run after the import that their comment names, and pay the funding of the files.

import { mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Decimal } from 'decimal.js';
import { backtest, type BacktestResult } from 'isobar/run';
import { afterAll, describe, expect, it } from 'vitest';
import { sharedFile } from '../fixtures/sharedData.ts';
import { definitionsIn, isobar, placementSettings } from './definitions.ts';
import { fundingByHand } from './fundingByHand.ts';

/** Folders of the files that the comments name. Files of futures keep the folders of the shared data. */
const SPOT_FOLDER = sharedFile('klines', 'binance-spot');
const UNIVERSE_FOLDER = sharedFile('klines', 'binance-um-universe');
const FUTURES_FOLDERS = ['klines', 'mark', 'funding'] as const;
const folder = mkdtempSync(join(tmpdir(), 'isobar-real-'));
afterAll(() => rmSync(folder, { recursive: true }));

for (const source of [SPOT_FOLDER, UNIVERSE_FOLDER]) {
  if (source !== null) for (const name of readdirSync(source)) symlinkSync(join(source, name), join(folder, name));
}
for (const kind of FUTURES_FOLDERS) {
  const source = sharedFile(kind);
  if (source !== null) symlinkSync(source, join(folder, kind));
}
const FUNDING_FOLDER = sharedFile('funding', 'binance-um-2024');
const FUNDED_DEFINITIONS = ['perpetualTrend', 'fundingFade', 'fundingCarry'];
const importedCommands = new Set<string>();
const resultByFile = new Map<string, BacktestResult>();

/** Runs the imports that the comment of a definition names, and then the definition. Does both once. */
async function resultOf(file: string, bars: readonly string[]): Promise<BacktestResult> {
  const earlierResult = resultByFile.get(file);
  if (earlierResult !== undefined) return earlierResult;
  for (const command of bars.filter((barsCommand) => !importedCommands.has(barsCommand))) isobar(folder, command);
  bars.forEach((command) => importedCommands.add(command));
  const result = await backtest({ definition: file, set: placementSettings(file, folder) });
  resultByFile.set(file, result);
  return result;
}

describe.each(definitionsIn('backtests/real'))('backtests/real: $name', ({ name, file, bars }) => {
  it.skipIf(SPOT_FOLDER === null || UNIVERSE_FOLDER === null)(
    `the definition ${name} on real bars runs after the imports that its comment names`,
    async () => {
      const { summary } = await resultOf(file, bars);
      expect(summary.dataQuality.synthetic).toBe(false);
      // The carry strategy holds its pair for long, so it has few trades.
      expect(summary.trades.trades).toBeGreaterThan(file.endsWith('fundingCarry.yaml') ? 1 : 20);
      expect(summary.orders.unknown).toBe(0);
      expect(Number(summary.run.endEquity)).toBeGreaterThan(0);
    },
  );

  if (FUNDED_DEFINITIONS.includes(name)) {
    it.skipIf(FUNDING_FOLDER === null)(
      `the definition ${name} pays the funding of the files, and its cost bridge adds up to the last unit`,
      async () => {
        const result = await resultOf(file, bars);
        const { costBridge, run } = result.summary;
        const symbols = result.record.instruments.filter(({ market }) => market === 'futures').map(({ wireName }) => wireName);
        const expectedFunding = symbols.reduce((sum, symbol) => sum.plus(fundingByHand(result, symbol)), new Decimal(0));
        expect(expectedFunding.isZero()).toBe(false);
        expect(costBridge.funding).toBe(expectedFunding.toFixed());
        const { netPnl, ...parts } = costBridge;
        expect(
          Object.values(parts)
            .reduce((sum, part) => sum.plus(part), new Decimal(0))
            .toFixed(),
        ).toBe(netPnl);
        expect(new Decimal(run.endEquity).minus(run.startEquity).toFixed()).toBe(netPnl);
        const sources = run.instruments.map(({ id, markSource }) => ({
          isFutures: id.startsWith('futures:'),
          hasMarkKlines: markSource.includes('mark klines 1h'),
        }));
        expect(sources.filter(({ isFutures, hasMarkKlines }) => isFutures !== hasMarkKlines)).toEqual([]);
      },
    );
  }

  it(`the definition ${name} without a catalog is rejected with the command that imports one`, async () => {
    const running = backtest({ definition: file, set: placementSettings(file, join(folder, 'nowhere')) });
    await expect(running).rejects.toThrow(/catalog: expected a catalog folder, got '.*nowhere.*'/);
    await expect(running).rejects.toMatchObject({ remedy: expect.stringContaining('isobar data import FILE') });
  });
});
