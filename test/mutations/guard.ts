// Describes a guard of the order path as a row of a table: its place, the edit that removes it, and the test that must fail without it.

/** An edit of one source file. */
export interface Change {
  /** Path of the file from the root of the repository. */
  readonly file: string;
  /** Text that occurs exactly once in the file. `to` replaces it when the guard is off. */
  readonly from: string;
  readonly to: string;
}

/** A guard, and the edit that removes it. */
export interface Guard extends Change {
  /** Its number in section 16 of the specification of order safety. */
  readonly row: number;
  /** A unique name: the number, and what the edit removes. */
  readonly name: string;
  /** The edits at other places that hold the same guard. */
  readonly otherChanges?: readonly Change[];
  /** Path of the test file from the root of the repository. */
  readonly test: string;
  /** A part of the full title of the test. */
  readonly testTitle: string;
}

/** Returns a guard that is a member of a `guards.ts`, where one edit switches it off. Its test has a scenario that fails without the guard. */
export const switchGuard = (row: number, member: string, room: 'orders/prove' | 'adapters/journal/records'): Guard => ({
  row,
  name: `${row}: ${member} of src/${room}/guards.ts is off`,
  file: `src/${room}/guards.ts`,
  from: `  ${member}: true,`,
  to: `  ${member}: false,`,
  test: `test/simulation/${room === 'orders/prove' ? 'order' : 'journal'}Guards.test.ts`,
  testTitle: 'has a scenario',
});
