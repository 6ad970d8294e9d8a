// Tightens the limits of a running bot. To widen a limit, the operator must restart the bot (docs/risk.md).

import { ConfigError } from '../../base/errors.ts';
import type { Instrument } from '../../model/instrument.ts';
import { LIMITS, type LimitRow, type RiskLimits } from './limits.ts';
import { resolveLimits } from './resolve.ts';

/** Returns `current` with the changes of `requested`. Throws ConfigError, which names the limit, for a wider or invalid limit. */
export function tightenLimits(current: RiskLimits, requested: RiskLimits, instruments: readonly Instrument[]): RiskLimits {
  // Only its check is needed: it throws for an invalid limit.
  resolveLimits(requested, instruments);
  for (const limit of LIMITS) {
    const { key, kind } = limit;
    const isMin = (limit as LimitRow).isMinimum === true;
    const oldValue = current[key];
    const newValue = requested[key];
    if (oldValue === undefined || newValue === undefined || oldValue === newValue) continue;
    const isWithin = isMin ? Number(newValue) >= Number(oldValue) : Number(newValue) <= Number(oldValue);
    const isTighter = kind === 'windows' ? containsAll(String(newValue), String(oldValue)) : isWithin;
    if (isTighter) continue;
    throw new ConfigError(
      `risk.${key}: expected at ${isMin ? 'least' : 'most'} ${oldValue}, got ${newValue}`,
      'limits of a running bot only get tighter: a wider one needs a restart',
    );
  }
  return { ...current, ...requested };
}

/** True when every old window is also a new one. */
function containsAll(newWindows: string, oldWindows: string): boolean {
  const split = (text: string): string[] => text.split(',').map((window) => window.trim());
  return split(oldWindows).every((window) => split(newWindows).includes(window));
}
