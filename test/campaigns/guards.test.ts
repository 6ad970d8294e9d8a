// Tests that every guard of the order path is needed: without it, its test fails. `npm run campaign -- guards` checks all, the suite a few.

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { GUARDS, GUARD_COUNT, ROWS_WITHOUT_EDIT } from '../mutations/table.ts';
import type { Guard } from '../mutations/guard.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const isCampaign = process.env['ISOBAR_CASES'] !== undefined;
/** Rows of the guards that the suite checks, one each of sending, proof, reservations and live conditions. Their tests load few files. */
const SUITE_ROWS = [14, 25, 40, 50];
const MAX_RUN_MS = 20 * 60_000;
/** Rows whose test title is built from a table, so that its text does not occur in the source of the test. */
const ROWS_WITH_BUILT_TITLE = new Set([3, 4, 5, 6, 7, 8]);

/** What the test of a guard did without the guard. */
interface MutationReport {
  readonly name: string;
  readonly isLoaded: boolean;
  readonly passed: number;
  readonly failed: number;
  /** The messages of the failed expectations. */
  readonly messages: readonly string[];
  readonly errors: readonly string[];
}

/** Runs the test of each guard with its edit, in one process. */
function runMutations(guards: readonly Guard[]): readonly MutationReport[] {
  const { stdout, stderr, status } = spawnSync(process.execPath, ['test/mutations/run.mjs'], {
    cwd: root,
    input: JSON.stringify(guards),
    encoding: 'utf8',
    maxBuffer: 1 << 26,
    // The mutations run in a separate test run, so they must not inherit the settings of this one.
    env: Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(VITEST|ISOBAR_|NODE_OPTIONS)/.test(name))),
  });
  if (status !== 0) throw new Error(`the run of mutations ended with ${status}: ${stderr.slice(-2000)}`);
  return JSON.parse(stdout.trim().split('\n').at(-1)!) as readonly MutationReport[];
}

/** Returns why a guard is not proved to be needed, or null if it is. A source that does not load proves nothing. */
function problemOf({ isLoaded, passed, failed, errors }: MutationReport): string | null {
  if (!isLoaded) return 'its test does not load the source';
  if (errors.length > 0) return `the source does not load: ${errors[0]}`;
  if (failed > 0) return null;
  return passed > 0 ? 'its test passes without it' : 'no test has that name';
}

it('every guard of the specification has a row, or a reason for its absence', () => {
  const rows = new Set(GUARDS.map(({ row }) => row));
  const specifiedRows = Array.from({ length: GUARD_COUNT }, (_, index) => index + 1);
  expect(specifiedRows.filter((row) => !rows.has(row) && ROWS_WITHOUT_EDIT[row] === undefined)).toEqual([]);
  expect(new Set(GUARDS.map(({ name }) => name)).size).toBe(GUARDS.length);
});

it.each(GUARDS)(
  'the guard $name has a text that occurs once in the source, and an existing test',
  ({ row, file, from, otherChanges = [], test, testTitle }) => {
    expect(existsSync(`${root}${test}`), test).toBe(true);
    if (!ROWS_WITH_BUILT_TITLE.has(row)) expect(readFileSync(`${root}${test}`, 'utf8'), test).toContain(testTitle);
    for (const change of [{ file, from }, ...otherChanges]) {
      const source = readFileSync(`${root}${change.file}`, 'utf8');
      const occurrences = source.split(change.from).length - 1;
      expect(occurrences, `${change.file}: ${change.from}`).toBe(1);
    }
  },
);

it(
  'the test of each guard fails without the guard',
  () => {
    const guards = isCampaign ? GUARDS : GUARDS.filter(({ row }) => SUITE_ROWS.includes(row));
    const survivors = runMutations(guards).flatMap((report) => {
      const problem = problemOf(report);
      const verdict = problem === null ? `needed  ${report.name}` : `SURVIVES ${report.name}: ${problem}`;
      if (isCampaign) console.log(verdict);
      return problem === null ? [] : [`${report.name}: ${problem}`];
    });
    if (isCampaign) console.log(`${guards.length - survivors.length} of ${guards.length} guards are needed`);
    expect(survivors).toEqual([]);
  },
  MAX_RUN_MS,
);
