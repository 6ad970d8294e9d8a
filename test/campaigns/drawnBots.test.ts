// Tests bots whose strategies take random decisions with every kind of order: killed and restarted, they end like bots that were never killed.

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { recordResult } from '../fixtures/campaignResults.ts';
import { LATE_OPTIMIZING } from '../fixtures/nodeOptions.ts';

/** `npm run campaign -- drawnBots` sets both. */
const { ISOBAR_CASES, ISOBAR_SEED = '1' } = process.env;
const isCampaign = ISOBAR_CASES !== undefined;
const WEEK_MS = 604_800_000;
/** Kills of each bot of the campaign. */
const KILLS = '4';

/** The printed result of one bot. */
interface DrawnResult {
  readonly strategy: string;
  readonly kills: number;
  readonly orders: number;
  readonly fills: number;
  readonly equalToUnkilled: boolean;
}

/** Runs bots in a process of their own, and returns the printed results. */
async function drawnBots(...words: readonly string[]): Promise<readonly DrawnResult[]> {
  const program = fileURLToPath(new URL('../drawn/run.mjs', import.meta.url));
  const child = spawn(process.execPath, [...(isCampaign ? [] : LATE_OPTIMIZING), program, ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const results: DrawnResult[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    const result = JSON.parse(line) as DrawnResult;
    results.push(result);
    recordResult({ ...result });
    if (isCampaign) console.log(line);
  }
  return results;
}

test(
  'a bot that takes random decisions and is killed has the orders, fills and money of one that is not',
  { timeout: isCampaign ? WEEK_MS : 600_000 },
  async () => {
    const words = isCampaign
      ? ['--cases', ISOBAR_CASES, '--kills', KILLS, '--bars', '200']
      : ['--cases', '2', '--kills', '2', '--bars', '60'];
    const results = await drawnBots('--seed', ISOBAR_SEED, ...words);
    expect(results).toHaveLength(Number(isCampaign ? ISOBAR_CASES : 2));
    expect(results.filter(({ equalToUnkilled }) => !equalToUnkilled)).toEqual([]);
    expect(results.reduce((fills, result) => fills + result.fills, 0)).toBeGreaterThan(results.length * 3);
  },
);
