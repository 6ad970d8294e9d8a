// Tests bots that are killed and restarted: they end with the orders, fills and money of bots that were never killed.

import { expect, test } from 'vitest';
import { printedRebirths } from '../fixtures/printedRebirths.ts';

/** `npm run campaign -- rebirth` sets both variables. */
const { ISOBAR_CASES, ISOBAR_SEED = '1' } = process.env;
const isCampaign = ISOBAR_CASES !== undefined;
const WEEK_MS = 604_800_000;

const rebirths = (...words: readonly string[]) => printedRebirths('rebirth/run.mjs', isCampaign, ...words);

test.runIf(isCampaign)(
  'every strategy with kills has the same orders, fills and money as without kills',
  { timeout: WEEK_MS },
  async () => {
    const results = await rebirths('--kills', ISOBAR_CASES!, '--seed', ISOBAR_SEED);
    expect(results.reduce((kills, result) => kills + result.kills, 0)).toBe(Number(ISOBAR_CASES));
    expect(results.filter(({ equalToUnkilled }) => !equalToUnkilled)).toEqual([]);
  },
);

test.skipIf(isCampaign)(
  'a bot that dies before its request leaves does what one does whose network lost it',
  { timeout: 600_000 },
  async () => {
    // Rows enough for orders before and after those that the kills strike.
    const results = await rebirths('--kills', '2', '--seed', '4711', '--bars', '450', 'fundingCarry');
    expect(results).toMatchObject([{ strategy: 'fundingCarry', kills: 2, droppedSends: 2, equalToUnkilled: true }]);
  },
);

test.skipIf(isCampaign)(
  'a bot that dies while its stop waits for the cancels of its targets does what one does that never died',
  { timeout: 600_000 },
  async () => {
    const results = await rebirths('--kills', '1', '--life', '1011', '--bars', '120', 'severalTargets');
    expect(results).toMatchObject([{ strategy: 'severalTargets', equalToUnkilled: true }]);
    expect(results[0]!.kills).toBeGreaterThan(0);
  },
);

test.skipIf(isCampaign)(
  'a bot with a ladder of targets inside finer bars equals its backtest, and is killed without a difference',
  { timeout: 600_000 },
  async () => {
    const results = await rebirths('--kills', '2', '--seed', '3', '--bars', '150', 'finerLadder');
    expect(results).toMatchObject([{ strategy: 'finerLadder', kills: 2, equalToUnkilled: true }]);
  },
);
