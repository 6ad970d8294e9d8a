// Makes a failing schedule as short as it can be: parts of it are left out as long as a violation of the same rule remains.

import { isTimed, type Happening } from './schedule.ts';
import { dayOf, type DayResult } from './world.ts';

export interface Shrunk {
  readonly schedule: readonly Happening[];
  readonly result: DayResult;
  readonly runs: number;
}

export const ruleOf = (violation: string): string => violation.slice(0, violation.indexOf(' '));

/** Delta debugging: halves first, then ever smaller parts, at most `maxRuns` runs. */
export async function shrink(
  seed: number,
  schedule: readonly Happening[],
  failed: DayResult,
  { maxRuns, lengthMs }: { readonly maxRuns: number; readonly lengthMs?: number },
): Promise<Shrunk> {
  const rule = ruleOf(failed.violations[0]!);
  let [result, runs, parts] = [failed, 0, 2];
  // Faults of creates that never came are no part of it.
  let best = schedule.filter((one) => isTimed(one) || one.at <= failed.creates);
  const options = lengthMs === undefined ? {} : { lengthMs };
  while (best.length > 0 && runs < maxRuns) {
    const size = Math.ceil(best.length / parts);
    let isSmaller = false;
    for (let from = 0; from < best.length && runs < maxRuns; from += size) {
      const candidate = [...best.slice(0, from), ...best.slice(from + size)];
      runs++;
      const tried = await dayOf(seed, candidate, options);
      if (!tried.violations.some((violation) => ruleOf(violation) === rule)) continue;
      [best, result, isSmaller] = [candidate, tried, true];
      parts = Math.max(2, parts - 1);
      break;
    }
    if (isSmaller) continue;
    if (size === 1) break;
    parts = Math.min(best.length, parts * 2);
  }
  return { schedule: best, result, runs };
}
