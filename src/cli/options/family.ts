// The option `--family NAME`, which separates trials of unrelated work on the same market data.

import { ConfigError } from '../../base/errors.ts';
import { TEXT_OPTION } from './textOption.ts';

/** The option `--family` of commands that count trials. */
export const FAMILY_OPTION = {
  ...TEXT_OPTION,
  describe: 'Name that separates its trials from unrelated work on the same market data',
} as const;

/** Returns the family name. Null without the option. Throws ConfigError for an invalid name. */
export function familyOf(name: string | undefined): string | null {
  if (name === undefined) return null;
  if (/^[\w][\w .-]{0,63}$/.test(name)) return name;
  throw new ConfigError(
    `--family: expected a name of letters, digits, spaces, dots and dashes, got '${name}'`,
    'for example --family breakout',
  );
}
