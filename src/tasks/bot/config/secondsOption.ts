// Parses the option `--seconds`: how long a bot runs.

import { ConfigError } from '../../../base/errors.ts';

/** The longest delay of a Node timer, about 24 days. A longer one fires at once. */
const MAX_SECONDS = 2_147_483;

/** Returns seconds; null: the bot runs until it is stopped. Throws ConfigError unless the text is a number in range. */
export function secondsOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  const seconds = Number(text);
  if (seconds > 0 && seconds <= MAX_SECONDS) return seconds;
  throw new ConfigError(
    `--seconds: expected a number above 0, up to ${MAX_SECONDS}, got '${text}'`,
    'for example --seconds 60; without it the bot runs until it is stopped',
  );
}
