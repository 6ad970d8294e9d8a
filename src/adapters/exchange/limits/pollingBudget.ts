// Checks at start-up that all polling fits into the share of the rate limit for steady traffic.

import { ConfigError } from '../../../base/errors.ts';
import type { Op } from '../../../protocol/endpoints/endpoints.ts';
import { limitTable, type ClassLimit, type OpLimit } from './limitTable.ts';
import { SHARES } from './priorityShares.ts';

/** Sums of fractions such as 0.1 are not exact. Differences up to this do not count. */
const ROUNDING = 1e-9;

/** Calls that repeat in every period. */
export interface Polling {
  readonly op: Op;
  /** Calls in a period, such as one for each symbol; at least 1. */
  readonly calls: number;
  /** Length of the period, in ms; above 0. */
  readonly everyMs: number;
}

/** Returns how many calls of weight 1 steady traffic may send in a second: 4 for a limit of 20 in two seconds. */
export const steadyPerSecond = ({ count, windowMs }: Pick<ClassLimit, 'count' | 'windowMs'>): number =>
  (Math.floor(count * SHARES.steady + ROUNDING) * 1000) / windowMs;

/**
 * Throws ConfigError if `pollings` together exceed the share of steady traffic in a rate class. n symbols every i seconds need n / i calls
 * a second. `table`: the limits in force.
 */
export function requireSteadyBudget(pollings: readonly Polling[], table: ReadonlyMap<Op, OpLimit> = limitTable()): void {
  const byClass = new Map<string, { limit: ClassLimit; members: (Polling & { weight: number })[] }>();
  for (const polling of pollings) {
    const row = table.get(polling.op);
    if (!row) continue;
    const classRows = byClass.get(row.limit.rateClass) ?? { limit: row.limit, members: [] };
    classRows.members.push({ ...polling, weight: row.weight });
    byClass.set(row.limit.rateClass, classRows);
  }
  for (const { limit, members } of byClass.values()) {
    const neededPerSecond = members.reduce((sum, { calls, everyMs, weight }) => sum + (calls * weight * 1000) / everyMs, 0);
    const maxPerSecond = steadyPerSecond(limit);
    if (neededPerSecond <= maxPerSecond * (1 + ROUNDING)) continue;
    const excess = neededPerSecond / maxPerSecond;
    const pollingText = members.map(({ op, calls, everyMs }) => `${calls} x ${op} every ${twoDecimals(everyMs / 1000)} s`).join(' and ');
    throw new ConfigError(
      `${pollingText}: expected at most ${twoDecimals(maxPerSecond)} calls a second, got ${twoDecimals(neededPerSecond)} (steady traffic may use ${SHARES.steady * 100} % of ` +
        `${limit.count} in ${twoDecimals(limit.windowMs / 1000)} s)`,
      remedyOf(members, excess),
    );
  }
}

/** Returns how to poll less. `excess`: how many times too much is asked. */
function remedyOf(members: readonly Polling[], excess: number): string {
  const [first] = members;
  if (members.length > 1 || !first) return `ask for ${twoDecimals(Math.ceil(excess * 10) / 10)} times fewer, or that much less often`;
  const everyS = Math.ceil((first.everyMs * excess) / 100 - ROUNDING) / 10;
  const fewerCalls = Math.floor(first.calls / excess + ROUNDING);
  return fewerCalls < 1 ? `ask every ${everyS} s` : `ask every ${everyS} s, or for ${fewerCalls} instead of ${first.calls}`;
}

/** Rounds to two decimals. */
const twoDecimals = (value: number): string => String(Math.round(value * 100) / 100);
