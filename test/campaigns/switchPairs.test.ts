// Tests the orders of the REST client at exchanges of every kind: the same scripts for each pair of values of any two switches.

import { expect, test } from 'vitest';
import { seededRng } from '../../src/base/number/rng.ts';
import { profileOf } from '../../src/paperExchange/dialect/profile.ts';
import type { Combination } from '../fixtures/covering.ts';
import { profileOfCombination, SWITCH_COMBINATIONS, SWITCH_VALUES } from '../fixtures/switchPairs.ts';
import { SCRIPTS } from '../service/orderScripts.ts';
import { PairFixture } from '../service/pairFixture.ts';

/** `npm run campaign -- switchPairs` sets both: the seed, and how many random combinations run beside those of the pairs. */
const { ISOBAR_CASES, ISOBAR_SEED } = process.env;
const SEED = Number(ISOBAR_SEED ?? 1);
const RANDOM_CASES = Number(ISOBAR_CASES ?? 0);

/** Runs every script with the values of the switches in a combination. An error names the script and `combinationText`. */
function runScripts(combination: Combination, combinationText: string): void {
  const profile = profileOfCombination(combination);
  const fixture = new PairFixture(profile);
  for (const [name, script] of Object.entries(SCRIPTS)) {
    try {
      script(fixture);
    } catch (error) {
      const defaults = profileOf({});
      const changed = Object.entries(profile).filter(([key, value]) => defaults[key as keyof typeof profile] !== value);
      throw new Error(`${name}, ${combinationText}: ${JSON.stringify(Object.fromEntries(changed))}`, { cause: error });
    }
  }
  fixture.service.spot.venue.assertConserved();
  fixture.service.futures.venue.assertConserved();
}

test(`the ${SWITCH_VALUES.length} switches have their pairs in ${SWITCH_COMBINATIONS.length} combinations`, () => {
  expect(SWITCH_VALUES).toHaveLength(59);
  expect(SWITCH_COMBINATIONS.length).toBeLessThanOrEqual(24);
});

test.each(SWITCH_COMBINATIONS.map((combination, index) => ({ combinationNumber: index + 1, combination })))(
  `every script of the client succeeds with combination $combinationNumber of ${SWITCH_COMBINATIONS.length} of the switches`,
  ({ combinationNumber, combination }) => runScripts(combination, `combination ${combinationNumber}`),
);

test.runIf(RANDOM_CASES > 0)(
  `every script of the client succeeds with ${RANDOM_CASES} random combinations of the switches from seed ${SEED}`,
  { timeout: 3_600_000 },
  () => {
    for (let seed = SEED; seed < SEED + RANDOM_CASES; seed++) {
      const rng = seededRng(seed);
      const combination = SWITCH_VALUES.map(([, values]) => Math.floor(rng.next() * values.length));
      runScripts(combination, `again: npm run campaign -- switchPairs --seed ${seed} --cases 1`);
    }
  },
);
