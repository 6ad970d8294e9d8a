// Finds out after a run whether code has replaced a member of a built-in during the run, even if the code has restored it at once.
//
// The virtual machine has fast paths for lists, maps and columns while certain members have never been written. The first write to such a member
// ends its fast path for good. Test functions of the virtual machine report which fast paths are left, so the check costs nothing during a run.

import { setFlagsFromString } from 'node:v8';
import { runInThisContext } from 'node:vm';

/**
 * The test function of the virtual machine for each fast path, and the members whose write ends the path. If a version of Node lacks a
 * function, its members are not checked.
 */
const FAST_PATHS: readonly { readonly nativeName: string; readonly members: string }[] = [
  { nativeName: 'ArrayIteratorProtector', members: 'Array.prototype[Symbol.iterator] or next of its iterators' },
  { nativeName: 'MapIteratorProtector', members: 'next of the iterators of maps' },
  { nativeName: 'SetIteratorProtector', members: 'Set.prototype[Symbol.iterator] or next of its iterators' },
  { nativeName: 'ArraySpeciesProtector', members: 'Array.prototype.constructor or Array[Symbol.species]' },
  { nativeName: 'TypedArraySpeciesProtector', members: 'the constructor or Symbol.species of typed arrays' },
  { nativeName: 'IsConcatSpreadableProtector', members: 'Symbol.isConcatSpreadable of lists' },
];

/** Returns the members of the fast paths that the virtual machine has now. The functions are compiled each time, because compiled code may be dropped. */
function intactMembers(): readonly string[] {
  setFlagsFromString('--allow-natives-syntax');
  try {
    return FAST_PATHS.flatMap(({ nativeName, members }) => (isIntact(nativeName) ? [members] : []));
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

/** The fast paths that the virtual machine had when the object was made. */
export class FastPaths {
  readonly #intact = intactMembers();

  /**
   * Returns, for a message, members that code may have written since the object was made; null if it wrote none. Also reports code that
   * wrote them on its own list.
   */
  firstWritten(): string | null {
    if (this.#intact.length === 0) return null;
    const intact = new Set(intactMembers());
    return this.#intact.find((members) => !intact.has(members)) ?? null;
  }
}
