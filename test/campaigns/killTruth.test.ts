// Tests kills that close positions of running, hung and dead bots after lost replies, against the exchange's own books.

import { expect, test } from 'vitest';
import { recordResult } from '../fixtures/campaignResults.ts';
import { caseText, killCase } from './killTruthCases.ts';
import { KillTruthWorld, type KillResult } from './killTruthWorld.ts';

/** `npm run campaign -- killTruth` sets both variables. */
const { ISOBAR_CASES, ISOBAR_SEED } = process.env;
const SEED = Number(ISOBAR_SEED ?? 1);
const CASE_COUNT = Number(ISOBAR_CASES ?? 5);
/** Prints each case, and the log of a wrong one. */
const isVerbose = Boolean(process.env['ISOBAR_VERBOSE']);

test(
  `${CASE_COUNT} kills from seed ${SEED} close exactly the positions of the bot, or name the remainder`,
  { timeout: 86_400_000 },
  async () => {
    const counts: Record<KillResult['kind'], number> = { flat: 0, residualNamed: 0, wrong: 0 };
    const wrongCases: string[] = [];
    for (let seed = SEED; seed < SEED + CASE_COUNT; seed++) {
      const kill = killCase(seed);
      const world = await KillTruthWorld.open(kill);
      try {
        const { kind, why } = await world.run();
        counts[kind]++;
        if (isVerbose) console.log(`${seed} ${kind}: ${why}\n  ${caseText(kill)}`);
        if (kind === 'wrong') {
          wrongCases.push(`${caseText(kill)}: ${why}\nagain: npm run campaign -- killTruth --seed ${seed} --cases 1`);
          if (isVerbose) console.log(world.text.slice(-40).join('\n'));
        }
      } finally {
        await world.close();
      }
    }
    recordResult({ cases: CASE_COUNT, ...counts });
    if (ISOBAR_CASES !== undefined)
      console.log(`${CASE_COUNT} kills: ${counts.flat} flat, ${counts.residualNamed} with named residuals, ${counts.wrong} wrong`);
    expect(wrongCases).toEqual([]);
  },
);
