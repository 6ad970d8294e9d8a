// Next times by cron patterns, in any time zone, with its changes of summer time: croner's arithmetic alone, nothing is scheduled here.

import { Cron } from 'croner';
import { ConfigError } from '../../base/errors.ts';
import type { CronTimes } from '../../ports/cron.ts';

/** 5 fields from the minute on, 6 with seconds in front. A time that summer time leaves out comes at the end of the gap. */
export const cronTimes: CronTimes = (pattern, timeZone) => {
  const cron = read(pattern, timeZone);
  return (afterMs) => (Number.isFinite(afterMs) ? (cron.nextRun(new Date(afterMs))?.getTime() ?? Infinity) : Infinity);
};

function read(pattern: string, timezone: string): Cron {
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

function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
