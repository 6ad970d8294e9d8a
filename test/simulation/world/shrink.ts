// Shortens a failing schedule: leaves out parts of it while a violation of the same rule remains.

import { isTimed, type ScheduledFault } from './schedule.ts';
import type { DayOptions, DayResult } from './dayResult.ts';
import { runDay } from './runDay.ts';

export interface ShrunkSchedule {
  readonly schedule: readonly ScheduledFault[];
  readonly result: DayResult;
  readonly runs: number;
}

/** Returns the code of the violated rule, the first word of the text. */
export const ruleOf = (violation: string): string => violation.slice(0, violation.indexOf(' '));

/** Returns the shortest failing schedule found in at most `maxRuns` runs. It uses delta debugging: halves first, then smaller parts. */
export async function shrink(
  seed: number,
  schedule: readonly ScheduledFault[],
  failed: DayResult,
  { maxRuns, ...options }: { readonly maxRuns: number } & Pick<DayOptions, 'lengthMs' | 'futures'>,
): Promise<ShrunkSchedule> {
  const rule = ruleOf(failed.violations[0]!);
  let [bestResult, runs, parts] = [failed, 0, 2];
  // Leave out faults of creates that the bot never sent.
  let best = schedule.filter((fault) => isTimed(fault) || fault.bot === 2 || fault.at <= failed.creates);
  while (best.length > 0 && runs < maxRuns) {
    const size = Math.ceil(best.length / parts);
    let isSmaller = false;
    for (let from = 0; from < best.length && runs < maxRuns; from += size) {
      const candidate = [...best.slice(0, from), ...best.slice(from + size)];
      runs++;
      const candidateResult = await runDay(seed, candidate, options);
      if (!candidateResult.violations.some((violation) => ruleOf(violation) === rule)) continue;
      [best, bestResult, isSmaller] = [candidate, candidateResult, true];
      parts = Math.max(2, parts - 1);
      break;
    }
    if (isSmaller) continue;
    if (size === 1) break;
    parts = Math.min(best.length, parts * 2);
  }
  return { schedule: best, result: bestResult, runs };
}
