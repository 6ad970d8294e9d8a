// How long a bot is to run, as people write it.

import { ConfigError } from '../../../base/errors.ts';

/** A timer of Node ends at once beyond it: some 24 days. */
const MAX_SECONDS = 2_147_483;

/** Null: until it is stopped. */
export function secondsOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  const seconds = Number(text);
  if (seconds > 0 && seconds <= MAX_SECONDS) return seconds;
  throw new ConfigError(
    `--seconds: expected a number above 0, up to ${MAX_SECONDS}, got '${text}'`,
    'for example --seconds 60; without it the bot runs until it is stopped',
  );
}
