// Compares texts by their code units and large integers by value, for sorting. The result does not depend on the language of the computer.

/** Returns a number below 0 if `a` comes first, above 0 if `b` does, and 0 if they are equal. */
export function compareAscending<Value extends string | bigint>(a: Value, b: Value): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
