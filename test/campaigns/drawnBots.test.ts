// Tests bots whose strategies take random decisions with every kind of order: killed and restarted, they end like bots that were never killed.

import { expect, test } from 'vitest';
import { printedRebirths } from '../fixtures/printedRebirths.ts';

/** `npm run campaign -- drawnBots` sets both variables. */
const { ISOBAR_CASES, ISOBAR_SEED = '1' } = process.env;
const isCampaign = ISOBAR_CASES !== undefined;
const WEEK_MS = 604_800_000;
/** Kills of each bot of the campaign. */
const KILLS = '4';

const drawnBots = (...words: readonly string[]) => printedRebirths('drawn/run.mjs', isCampaign, ...words);

test(
  'a bot that takes random decisions and is killed has the orders, fills and money of one that is not',
  { timeout: isCampaign ? WEEK_MS : 600_000 },
  async () => {
    const words = isCampaign
      ? ['--cases', ISOBAR_CASES, '--kills', KILLS, '--bars', '200']
      : ['--cases', '2', '--kills', '1', '--bars', '40'];
    const results = await drawnBots('--seed', ISOBAR_SEED, ...words);
    expect(results).toHaveLength(Number(isCampaign ? ISOBAR_CASES : 2));
    expect(results.filter(({ equalToUnkilled }) => !equalToUnkilled)).toEqual([]);
    expect(results.reduce((fills, result) => fills + result.fills, 0)).toBeGreaterThan(results.length * 3);
  },
);
