// Tests bots that are killed and restarted: they end with the orders, fills and money of bots that were never killed.

import { expect, test } from 'vitest';
import { printedRebirths } from '../fixtures/printedRebirths.ts';

/** `npm run campaign -- rebirth` sets both variables. */
const { ISOBAR_CASES, ISOBAR_SEED = '1' } = process.env;
const isCampaign = ISOBAR_CASES !== undefined;
const WEEK_MS = 604_800_000;

/** Runs the program that kills bots, with these options. Returns what it printed about each bot. */
const runRebirths = (...options: readonly string[]) => printedRebirths('rebirth/run.mjs', isCampaign, ...options);

test.runIf(isCampaign)(
  'every strategy with kills has the same orders, fills and money as without kills',
  { timeout: WEEK_MS },
  async () => {
    const bots = await runRebirths('--kills', ISOBAR_CASES!, '--seed', ISOBAR_SEED);
    expect(bots.reduce((sum, { kills }) => sum + kills, 0)).toBe(Number(ISOBAR_CASES));
    expect(bots.filter(({ equalToUnkilled }) => !equalToUnkilled)).toEqual([]);
  },
);

test.skipIf(isCampaign)(
  'a bot that is killed before its request leaves ends like a bot whose network lost the request',
  { timeout: 600_000 },
  async () => {
    const bots = await runRebirths('--kills', '2', '--seed', '4711', '--bars', '60', 'shortLadder');
    expect(bots).toMatchObject([{ strategy: 'shortLadder', kills: 2, droppedSends: 1, equalToUnkilled: true }]);
    // Some orders come before and after those that the kills hit.
    expect(bots[0]!.orders).toBeGreaterThan(5);
  },
);

test.skipIf(isCampaign)(
  'a bot that is killed while its stop waits for the cancels of its targets ends like a bot that was never killed',
  { timeout: 600_000 },
  async () => {
    const bots = await runRebirths('--kills', '1', '--life', '1011', '--bars', '120', 'severalTargets');
    expect(bots).toMatchObject([{ strategy: 'severalTargets', equalToUnkilled: true }]);
    expect(bots[0]!.kills).toBeGreaterThan(0);
  },
);

test.skipIf(isCampaign)(
  'a bot with a ladder of targets inside finer bars ends like one that was never killed',
  { timeout: 600_000 },
  async () => {
    const bots = await runRebirths('--kills', '2', '--seed', '3', '--bars', '150', 'finerLadder');
    expect(bots).toMatchObject([{ strategy: 'finerLadder', kills: 2, equalToUnkilled: true }]);
  },
);
