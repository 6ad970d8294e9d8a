// Groups into which reports break down trades: by the reason of the exit, and by the time a position was held.

/**
 * Why a trade ended, by the order of its last fill. `signal`: an order of the strategy itself, also a trigger order or a resting limit.
 * `stop`, `target`, `trail`: a leg of a bracket. `liquidation`: the exchange closed the position.
 */
export const EXIT_REASONS = ['signal', 'stop', 'target', 'trail', 'liquidation'] as const;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Lower bounds in ms (inclusive) and names of the groups of holding times, ascending. */
export const HOLD_GROUPS: readonly { readonly fromMs: number; readonly name: string }[] = [
  { fromMs: 0, name: 'under 1m' },
  { fromMs: MINUTE_MS, name: '1m to 5m' },
  { fromMs: 5 * MINUTE_MS, name: '5m to 15m' },
  { fromMs: 15 * MINUTE_MS, name: '15m to 1h' },
  { fromMs: HOUR_MS, name: '1h to 4h' },
  { fromMs: 4 * HOUR_MS, name: '4h to 1d' },
  { fromMs: DAY_MS, name: '1d to 1w' },
  { fromMs: 7 * DAY_MS, name: '1w to 4w' },
  { fromMs: 28 * DAY_MS, name: '4w and longer' },
];

/** Returns the index into `HOLD_GROUPS` of a trade with this holding time (ms, at least 0). */
export function holdGroupOf(durationMs: number): number {
  let group = HOLD_GROUPS.length - 1;
  while (group > 0 && durationMs < HOLD_GROUPS[group]!.fromMs) group--;
  return group;
}

/** Returns the hour of the day, 0 to 23 UTC, of a time in ms. */
export function hourOf(timeMs: number): number {
  return Math.floor((timeMs - Math.floor(timeMs / DAY_MS) * DAY_MS) / HOUR_MS);
}
