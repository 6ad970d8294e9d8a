// The option `--bar-timeout` of backtests, verification and sweeps.

import { ConfigError } from '../../base/errors.ts';

/** The option for the longest time that a strategy may take for a bar. */
export const BAR_TIMEOUT_OPTION = {
  type: 'string',
  requiresArg: true,
  default: '10',
  describe: 'Seconds without progress after which a strategy is ended; 0: never',
} as const;

/** Returns the milliseconds of `--bar-timeout`. Throws ConfigError for an invalid value. */
export function barTimeoutMs(seconds: string): number {
  const value = seconds.trim() === '' ? NaN : Number(seconds);
  if (!(value >= 0 && value <= 86_400))
    throw new ConfigError(`--bar-timeout: expected seconds (0 to 86400), got '${seconds}'`, 'for example --bar-timeout 30');
  return value * 1000;
}
