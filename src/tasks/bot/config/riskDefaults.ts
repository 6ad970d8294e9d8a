// Default risk limits of a live bot, and the check that audits are frequent enough for them.

import { ConfigError } from '../../../base/errors.ts';
import type { RiskLimits } from '../../../risk/limits/limits.ts';

/** Maximum age of the newest complete audit of a live bot, ms. */
const AUDIT_AGE_MS = 30_000;
/** The largest value of the limit. */
const MAX_AUDIT_AGE_MS = 1_000_000;

/**
 * Returns the limits of a live bot, with defaults for limits that the config does not name. The age of an audit counts in ms of the exchange: one
 * ms here is `timeScale` ms there.
 */
export function withRiskDefaults(risk: RiskLimits, timeScale: number): RiskLimits {
  return { maxAuditAgeMs: Math.min(MAX_AUDIT_AGE_MS, Math.floor(AUDIT_AGE_MS * timeScale)), ...risk };
}

/**
 * Throws ConfigError if audits are so rare that the default limit would halt the bot between two audits. A limit that the config names is
 * not checked. `place`: where the config names the period of audits.
 */
export function checkAuditPeriod(auditPeriodMs: number, risk: RiskLimits, timeScale: number, place: string): void {
  const maxAgeMs = Number(withRiskDefaults({}, timeScale).maxAuditAgeMs);
  if (risk.maxAuditAgeMs !== undefined || auditPeriodMs * timeScale < maxAgeMs) return;
  const scaleText = timeScale === 1 ? '' : ` (times timeScale ${timeScale})`;
  throw new ConfigError(
    `${place}: expected less than risk.maxAuditAgeMs (${maxAgeMs} by default), got ${auditPeriodMs}${scaleText}`,
    'audit more often, or set risk.maxAuditAgeMs above the period: the bot takes no new risk between two audits otherwise',
  );
}
