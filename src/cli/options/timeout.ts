// The option `--timeout` of commands that wait for an exchange.

import { withoutKeys } from '../../access/keyLike.ts';
import { ConfigError } from '../../base/errors.ts';

/** Returns the milliseconds of `--timeout`. Throws ConfigError for an invalid value. */
export function answerTimeoutMs(text: string): number {
  const seconds = /^\d{1,4}(\.\d{1,3})?$/.test(text) ? Number(text) : 0;
  if (seconds >= 0.1 && seconds <= 600) return seconds * 1000;
  throw new ConfigError(`--timeout: expected seconds from 0.1 to 600, got ${withoutKeys(text)}`, '10 is the default');
}
