// The definitions on real bars run after the import that their own comment names; without a catalog they say how to make one.

import { mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backtest } from 'isobar/run';
import { afterAll, describe, expect, it } from 'vitest';
import { sharedFile } from '../fixtures/sharedData.ts';
import { definitionsIn, isobar, placed } from './definitions.ts';

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
const imported = new Set<string>();

describe.each(definitionsIn('backtests/real'))('backtests/real: $name', ({ file, bars }) => {
  it.skipIf(SPOT === null || UNIVERSE === null)('runs on the bars that its comment imports', async () => {
    for (const command of bars.filter((each) => !imported.has(each))) isobar(folder, command);
    bars.forEach((command) => imported.add(command));
    const { summary } = await backtest({ definition: file, set: placed(file, folder) });
    expect(summary.dataQuality.synthetic).toBe(false);
    // A pair that is held for what it is paid has few trades.
    expect(summary.trades.trades).toBeGreaterThan(file.endsWith('fundingCarry.yaml') ? 1 : 20);
    expect(summary.orders.unknown).toBe(0);
    expect(Number(summary.run.endEquity)).toBeGreaterThan(0);
  });

  it('says what to import where there is no catalog', async () => {
    const failed = backtest({ definition: file, set: placed(file, join(folder, 'nowhere')) });
    await expect(failed).rejects.toThrow(/catalog: expected a catalog folder, got '.*nowhere.*'/);
    await expect(failed).rejects.toMatchObject({ remedy: expect.stringContaining('isobar data import FILE') });
  });
});
