// Computes the next times of a cron pattern in any time zone, including daylight-saving changes. Only croner's arithmetic is used; nothing
// is scheduled here.

import { Cron } from 'croner';
import { ConfigError } from '../../base/errors.ts';
import type { CronTimes } from '../../ports/cron.ts';

/**
 * Returns the next time after a given one. Patterns have 5 fields from the minute on, or 6 with leading seconds. A time that a clock change
 * skips falls at the end of the gap.
 */
export const cronTimes: CronTimes = (pattern, timeZone) => {
  const cron = parsePattern(pattern, timeZone);
  return (afterMs) => (Number.isFinite(afterMs) ? (cron.nextRun(new Date(afterMs))?.getTime() ?? Infinity) : Infinity);
};

/** Throws ConfigError for an unknown time zone or an invalid pattern. */
function parsePattern(pattern: string, timezone: string): Cron {
  if (!isZone(timezone))
    throw new ConfigError(`cron '${pattern}': expected a time zone such as UTC or Europe/Berlin, got '${timezone}'`, 'correct the zone');
  try {
    return new Cron(pattern, { timezone });
  } catch (error) {
    throw new ConfigError(
      `cron '${pattern}' in ${timezone}: ${error instanceof Error ? error.message : String(error)}`,
      "write a pattern such as '0 8 * * 1-5' (minute, hour, day, month, weekday)",
    );
  }
}

/** True if this computer knows the time zone. */
function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
