// Tests that chosen prices after the rows of a sample are reported with the time of their bar.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { seededRng } from '../../../base/number/rng.ts';
import type { RunPlan } from '../../../definition/plan/plan.ts';
import { emptyBars } from '../../../../test/fixtures/syntheticBars.ts';
import { embeddedPrices } from './embeddedPrices.ts';

const folder = mkdtempSync(join(tmpdir(), 'isobar-prices-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

test('embeddedPrices reports chosen prices that come after the sample with the time of their bar', () => {
  const rows = 3000;
  const rng = seededRng(41);
  const close = Float64Array.from({ length: rows }, () => Math.round(100 * (20_000 + 1000 * rng.next())) / 100);
  const closeMs = Float64Array.from({ length: rows }, (_, row) => Date.UTC(2023, 0, 1) + (row + 1) * 3_600_000);
  const bars = {
    ...emptyBars(rows),
    instrument: { wireName: 'BTCUSDT' },
    interval: '1h',
    closeMs,
    open: close,
    high: close,
    low: close,
    close,
  };
  const sampleBars = { ...bars, length: 1000, closeMs: closeMs.subarray(0, 1000) };
  const planOf = (of: typeof bars): RunPlan => ({ feeds: [{ bars: of }] }) as unknown as RunPlan;
  const file = join(folder, 'strategy.ts');
  const days = Array.from({ length: 60 }, (_, day) => 24 * day + 1500);
  writeFileSync(file, `const CLOSES = [${days.map((row) => close[row]).join(', ')}];`);
  expect(embeddedPrices(planOf(sampleBars), [file], undefined, planOf(bars))?.first?.time).toBe(new Date(closeMs[1500]!).toISOString());
});
