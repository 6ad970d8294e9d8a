// Tests kills of a sweep at random moments: after each, the resumed sweep gives the same table, and no set runs twice.

import { expect, it } from 'vitest';
import { killAndResume } from '../fixtures/killAndResume.ts';
import { SweepFixture } from '../fixtures/sweepFixture.ts';

const SEED = Number(process.env['ISOBAR_SEED'] ?? 1);
const isCampaign = process.env['ISOBAR_CASES'] !== undefined;
const GRID = ['--grid', 'fast=2..20', '--grid', 'slow=22..40'];
const BARS = 4000;
const KILLS = 20;

// The short form is in test/e2e/sweep.test.ts.
it.runIf(isCampaign)(
  `after each of ${KILLS} kills a resumed sweep gives the same table (seed ${SEED})`,
  async () => {
    const fixture = new SweepFixture(BARS);
    const startMs = performance.now();
    expect((await fixture.sweep(...GRID)).code).toBe(0);
    const aloneMs = performance.now() - startMs;
    const { sweepHash } = fixture.json();
    const outcome = await killAndResume({ bars: BARS, grid: GRID, kills: KILLS, seed: SEED, aloneMs, sweepHash, table: fixture.table() });
    console.log(`${outcome.kills} kills, ${outcome.midway} of them with sets in the ledger: the same table each time`);
    expect(outcome.midway).toBeGreaterThan(KILLS / 4);
    fixture.remove();
  },
  600_000,
);
