// Default risk limits of a live bot, and the check that audits are frequent enough for them.

import { ConfigError } from '../../../base/errors.ts';
import type { RiskLimits } from '../../../risk/limits/limits.ts';

/** R-20: maximum age of the newest complete audit of a live bot, ms. */
const AUDIT_AGE_MS = 30_000;
/** The largest value of the limit. */
const MAX_AUDIT_AGE_MS = 1_000_000;

/**
 * Returns the limits of a live bot, with defaults for limits that the config does not name. 1 ms here is `timeScale` ms at the exchange.
 */
export function withDefaults(risk: RiskLimits, timeScale: number): RiskLimits {
  return { maxAuditAgeMs: Math.min(MAX_AUDIT_AGE_MS, Math.floor(AUDIT_AGE_MS * timeScale)), ...risk };
}

/**
 * Throws ConfigError if audits are so rare that the default limit would halt the bot between two audits. A limit that the config names is
 * not checked. `place`: where the config names the period of audits.
 */
export function checkAuditPeriod(fastMs: number, risk: RiskLimits, timeScale: number, place: string): void {
  const maxAgeMs = Number(withDefaults({}, timeScale).maxAuditAgeMs);
  if (risk.maxAuditAgeMs !== undefined || fastMs * timeScale < maxAgeMs) return;
  throw new ConfigError(
    `${place}: expected less than risk.maxAuditAgeMs (${maxAgeMs} by default), got ${fastMs}${timeScale === 1 ? '' : ` (times timeScale ${timeScale})`}`,
    'audit more often, or set risk.maxAuditAgeMs above the period: the bot takes no new risk between two audits otherwise',
  );
}
