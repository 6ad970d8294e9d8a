// A guard of the order path as a row of a table: its place, the edit that removes it, and the test that must fail then.

export interface Change {
  readonly file: string;
  /** Text that occurs exactly once in the file. `to` replaces it when the guard is off. */
  readonly from: string;
  readonly to: string;
}

export interface Guard extends Change {
  /** Its number in the specification of order safety (section 16). */
  readonly row: number;
  /** Unique: the number, and what is taken out. */
  readonly name: string;
  /** Where several places hold the same: the others. */
  readonly and?: readonly Change[];
  readonly test: string;
  /** Part of the test's full name. */
  readonly named: string;
}

/** A member of a `guards.ts` of its room, and a scenario that needs it. */
export const switched = (row: number, member: string, room: 'orders/prove' | 'adapters/journal/records'): Guard => ({
  row,
  name: `${row}: ${member} of src/${room}/guards.ts is off`,
  file: `src/${room}/guards.ts`,
  from: `  ${member}: true,`,
  to: `  ${member}: false,`,
  test: `test/simulation/${room === 'orders/prove' ? 'order' : 'journal'}Guards.test.ts`,
  named: 'has a scenario',
});
