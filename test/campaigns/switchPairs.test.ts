// Tests the orders of the REST client at exchanges of every kind: the same scripts for each pair of values of any two switches.

import { expect, test } from 'vitest';
import { seededRng } from '../../src/base/number/rng.ts';
import { profileOf, type SwitchValues } from '../../src/paperExchange/dialect/profile.ts';
import { SWITCHES } from '../../src/paperExchange/dialect/switches.ts';
import { coveringArray } from '../fixtures/covering.ts';
import { SCRIPTS } from '../service/orderScripts.ts';
import { PairFixture } from '../service/pairFixture.ts';

/** `npm run campaign -- switchPairs` sets both: the seed, and how many random combinations run beside those of the pairs. */
const { ISOBAR_CASES, ISOBAR_SEED } = process.env;
const SEED = Number(ISOBAR_SEED ?? 1);
const RANDOM_CASES = Number(ISOBAR_CASES ?? 0);

/** The values of each switch. A switch that is a number has its own value and a smaller one. */
const SWITCH_VALUES = Object.entries(SWITCHES).map(([name, row]): readonly [string, readonly unknown[]] => [
  name,
  'defaultNumber' in row ? [row.defaultNumber, Math.ceil(row.defaultNumber / 4)] : row.values,
]);
/** Combinations that together have every pair of values of any two switches. Each has the index of a value by switch. */
const COMBINATIONS = coveringArray(SWITCH_VALUES.map(([, values]) => values.length));

/** Returns the values of the switches in a combination. */
const valuesOf = (combination: readonly number[]): SwitchValues =>
  Object.fromEntries(SWITCH_VALUES.map(([name, values], index) => [name, values[combination[index]!]]));

/** Runs every script with these values of the switches. An error names the script and `combinationText`. */
function runScripts(values: SwitchValues, combinationText: string): void {
  const fixture = new PairFixture(profileOf(values));
  for (const [name, script] of Object.entries(SCRIPTS)) {
    try {
      script(fixture);
    } catch (error) {
      const defaults = profileOf({});
      const changed = Object.entries(values).filter(([key, value]) => defaults[key as keyof typeof SWITCHES] !== value);
      throw new Error(`${name}, ${combinationText}: ${JSON.stringify(Object.fromEntries(changed))}`, { cause: error });
    }
  }
  fixture.service.spot.venue.assertConserved();
  fixture.service.futures.venue.assertConserved();
}

test(`the ${SWITCH_VALUES.length} switches have their pairs in ${COMBINATIONS.length} combinations`, () => {
  expect(SWITCH_VALUES).toHaveLength(59);
  expect(COMBINATIONS.length).toBeLessThanOrEqual(24);
});

test.each(COMBINATIONS.map((combination, index) => [index + 1, combination] as const))(
  `every script of the client succeeds with combination %i of ${COMBINATIONS.length} of the switches`,
  (number, combination) => runScripts(valuesOf(combination), `combination ${number}`),
);

test.runIf(RANDOM_CASES > 0)(
  `every script of the client succeeds with ${RANDOM_CASES} random combinations of the switches from seed ${SEED}`,
  { timeout: 3_600_000 },
  () => {
    for (let seed = SEED; seed < SEED + RANDOM_CASES; seed++) {
      const rng = seededRng(seed);
      const combination = SWITCH_VALUES.map(([, values]) => Math.floor(rng.next() * values.length));
      runScripts(valuesOf(combination), `again: npm run campaign -- switchPairs --seed ${seed} --cases 1`);
    }
  },
);
