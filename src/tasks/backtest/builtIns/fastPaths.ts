// Finds out after a run whether code has written a member of a built-in at any row, also if it has put it back at once.
//
// The virtual machine has fast paths for lists, maps and columns as long as certain members were never written. It gives a fast path up at the first write, for good,
// and its functions for tests say whether it still has it. So a run pays nothing for this.

import { setFlagsFromString } from 'node:v8';
import { runInThisContext } from 'node:vm';

/** The functions of the virtual machine, and the members whose write ends each fast path. A version of Node without one of them does not look for its members. */
const FAST_PATHS: readonly (readonly [nativeName: string, members: string])[] = [
  ['ArrayIteratorProtector', 'Array.prototype[Symbol.iterator] or next of its iterators'],
  ['MapIteratorProtector', 'next of the iterators of maps'],
  ['SetIteratorProtector', 'Set.prototype[Symbol.iterator] or next of its iterators'],
  ['ArraySpeciesProtector', 'Array.prototype.constructor or Array[Symbol.species]'],
  ['TypedArraySpeciesProtector', 'the constructor or Symbol.species of typed arrays'],
  ['IsConcatSpreadableProtector', 'Symbol.isConcatSpreadable of lists'],
];

/** Returns the members of the fast paths that the virtual machine has now. The functions are compiled each time, because it may drop compiled code. */
function intactMembers(): readonly string[] {
  setFlagsFromString('--allow-natives-syntax');
  try {
    return FAST_PATHS.flatMap(([nativeName, members]) => (isIntact(nativeName) ? [members] : []));
  } finally {
    setFlagsFromString('--no-allow-natives-syntax');
  }
}

/** True when the virtual machine has a fast path; false also if this version does not know it. */
function isIntact(nativeName: string): boolean {
  try {
    return runInThisContext(`%${nativeName}()`) === true;
  } catch {
    return false;
  }
}

/** The fast paths that the virtual machine has at one time. */
export class FastPaths {
  readonly #intact = intactMembers();

  /** Returns the members that code may have written since, for a message; null: it has written none. A write to one list of its own looks alike. */
  firstWritten(): string | null {
    if (this.#intact.length === 0) return null;
    const intact = new Set(intactMembers());
    return this.#intact.find((members) => !intact.has(members)) ?? null;
  }
}
