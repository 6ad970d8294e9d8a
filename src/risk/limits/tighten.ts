// Tightens the limits of a running bot (risk-and-security, R-30): a wider limit needs a restart by the operator.

import { ConfigError } from '../../base/errors.ts';
import type { Instrument } from '../../model/instrument.ts';
import { LIMITS, type LimitRow, type RiskLimits } from './limits.ts';
import { resolveLimits } from './resolve.ts';

/** Returns `now` with the changes of `next`. Throws ConfigError naming a limit that would be wider, or that is invalid. */
export function tightenLimits(now: RiskLimits, next: RiskLimits, instruments: readonly Instrument[]): RiskLimits {
  resolveLimits(next, instruments);
  for (const row of LIMITS) {
    const { key, kind } = row;
    const isMin = (row as LimitRow).isMinimum === true;
    const [is, will] = [now[key], next[key]];
    if (is === undefined || will === undefined || is === will) continue;
    const isWithin = isMin ? Number(will) >= Number(is) : Number(will) <= Number(is);
    const isTighter = kind === 'windows' ? holdsAll(String(will), String(is)) : isWithin;
    if (isTighter) continue;
    throw new ConfigError(
      `risk.${key}: expected at ${isMin ? 'least' : 'most'} ${is}, got ${will}`,
      'limits of a running bot only get tighter: a wider one needs a restart',
    );
  }
  return { ...now, ...next };
}

/** True when every window that was closed stays closed. */
function holdsAll(will: string, is: string): boolean {
  const windows = (text: string): string[] => text.split(',').map((part) => part.trim());
  return windows(is).every((window) => windows(will).includes(window));
}
