// Finds the valid name that is nearest to a misspelt one, for messages that suggest it.

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;

/**
 * Returns the name of `valid` with the smallest edit distance to `unknownName`. Null if each name differs in more than two letters and in
 * more than a third of its letters. Of names at equal distance, the one with the longest common beginning wins: `seeds` gives `seed`, not
 * `feeds`.
 */
export function nearestName(unknownName: string, valid: readonly string[]): string | null {
  let best: string | null = null;
  let bestDistance = INFINITY;
  let bestCommonLength = -1;
  for (const name of valid) {
    const distance = editDistance(unknownName.toLowerCase(), name.toLowerCase());
    const commonLength = commonBeginning(unknownName.toLowerCase(), name.toLowerCase());
    if (distance > bestDistance || (distance === bestDistance && commonLength <= bestCommonLength)) continue;
    best = name;
    bestDistance = distance;
    bestCommonLength = commonLength;
  }
  const maxDistance = best === null ? 0 : Math.max(2, Math.ceil(best.length / 3));
  return best !== null && bestDistance <= maxDistance ? best : null;
}

/** Returns the length of the common beginning. */
function commonBeginning(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}

/**
 * Returns the smallest number of typing errors between two texts: letters inserted, omitted or changed, and neighbours swapped. Row `i`
 * belongs to the first `i` letters of `a`. Its element `j` is their distance to the first `j` letters of `b` (Damerau and Levenshtein).
 */
function editDistance(a: string, b: string): number {
  let distancesBeforeLast: number[] = [];
  let distances = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const nextDistances = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitutionCost = a[i - 1] === b[j - 1] ? 0 : 1;
      const swapDistance = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? distancesBeforeLast[j - 2]! + 1 : INFINITY;
      nextDistances.push(Math.min(nextDistances[j - 1]! + 1, distances[j]! + 1, distances[j - 1]! + substitutionCost, swapDistance));
    }
    distancesBeforeLast = distances;
    distances = nextDistances;
  }
  return distances[b.length]!;
}
