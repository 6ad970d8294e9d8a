// Tests bots whose strategies take random decisions with every kind of order: killed and restarted, they end like bots that were never killed.

import { expect, test } from 'vitest';
import { printedRebirths } from '../fixtures/printedRebirths.ts';

/** `npm run campaign -- drawnBots` sets both variables. */
const { ISOBAR_CASES, ISOBAR_SEED = '1' } = process.env;
const isCampaign = ISOBAR_CASES !== undefined;
const WEEK_MS = 604_800_000;
/** Kills of each bot of the campaign. */
const KILLS = '4';

/** Runs the program of the bots with these options. Returns what it printed about each bot. */
const runDrawnBots = (...options: readonly string[]) => printedRebirths('drawn/run.mjs', isCampaign, ...options);

test(
  'a bot that takes random decisions and is killed has the orders, fills and money of one that is not',
  { timeout: isCampaign ? WEEK_MS : 600_000 },
  async () => {
    const options = isCampaign
      ? ['--cases', ISOBAR_CASES, '--kills', KILLS, '--bars', '200']
      : ['--cases', '2', '--kills', '1', '--bars', '40'];
    const bots = await runDrawnBots('--seed', ISOBAR_SEED, ...options);
    expect(bots).toHaveLength(Number(isCampaign ? ISOBAR_CASES : 2));
    expect(bots.filter(({ equalToUnkilled }) => !equalToUnkilled)).toEqual([]);
    const totalFills = bots.reduce((sum, { fills }) => sum + fills, 0);
    expect(totalFills).toBeGreaterThan(bots.length * 3);
  },
);
