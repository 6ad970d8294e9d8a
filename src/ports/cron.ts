// Times by a cron pattern, as the engine asks for them: whoever knows calendars and time zones answers.

/** The first time after `afterMs` (ms UTC) that the pattern names in a time zone; Infinity: none. Throws ConfigError for what is no pattern, no zone. */
export type CronTimes = (pattern: string, timeZone: string) => (afterMs: number) => number;
