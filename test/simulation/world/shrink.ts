// Shortens a failing schedule: leaves out parts of it while a violation of the same rule remains.

import { isTimed, type ScheduledFault } from './schedule.ts';
import type { DayOptions, DayResult } from './dayResult.ts';
import { runDay } from './runDay.ts';

/** The shortest failing schedule that was found, its result, and the number of days that were run. */
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
  let bestResult = failed;
  let runs = 0;
  /** Number of parts of about equal size. Each part is left out in turn. */
  let parts = 2;
  // Leave out faults of creates that the bot never sent.
  let best = schedule.filter((fault) => isTimed(fault) || fault.bot === 2 || fault.requestNumber <= failed.creates);
  while (best.length > 0 && runs < maxRuns) {
    const partSize = Math.ceil(best.length / parts);
    let isSmaller = false;
    for (let from = 0; from < best.length && runs < maxRuns; from += partSize) {
      const candidate = [...best.slice(0, from), ...best.slice(from + partSize)];
      runs++;
      const candidateResult = await runDay(seed, candidate, options);
      if (!candidateResult.violations.some((violation) => ruleOf(violation) === rule)) continue;
      best = candidate;
      bestResult = candidateResult;
      isSmaller = true;
      parts = Math.max(2, parts - 1);
      break;
    }
    if (isSmaller) continue;
    if (partSize === 1) break;
    parts = Math.min(best.length, parts * 2);
  }
  return { schedule: best, result: bestResult, runs };
}
