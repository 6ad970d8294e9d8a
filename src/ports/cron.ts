// Port for the times of cron patterns. The implementation knows calendars and time zones.

/**
 * Returns the first time after `afterMs` (ms UTC) that the pattern names in a time zone; Infinity if none. Throws ConfigError for an
 * invalid pattern or zone.
 */
export type CronTimes = (pattern: string, timeZone: string) => (afterMs: number) => number;
