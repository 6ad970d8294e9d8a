// Twenty and more kills of a sweep at random moments: resumed, each gives the same table, and no set runs twice.

import { expect, it } from 'vitest';
import { killAndResume } from '../fixtures/killAndResume.ts';
import { SweepDesk } from '../fixtures/sweepDesk.ts';

const SEED = Number(process.env['ISOBAR_SEED'] ?? 1);
const isCampaign = process.env['ISOBAR_CASES'] !== undefined;
const GRID = ['--grid', 'fast=2..20', '--grid', 'slow=22..40'];
const BARS = 4000;
const KILLS = 20;

// The short form is in test/e2e/sweep.test.ts.
it.runIf(isCampaign)(
  `${KILLS} kills (seed ${SEED})`,
  async () => {
    const desk = new SweepDesk(BARS);
    expect((await desk.sweep(...GRID)).code).toBe(0);
    const { sweepHash } = desk.json();
    const kills = await killAndResume({ bars: BARS, grid: GRID, kills: KILLS, seed: SEED, sweepHash, table: desk.table() });
    console.log(`${kills} kills, the same table each time`);
    desk.remove();
  },
  600_000,
);
