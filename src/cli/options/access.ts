// Options of all commands that connect to an exchange.

import { text } from './text.ts';

/** The options of commands that call an exchange. */
export const accessOptions = {
  config: { ...text, describe: 'Access file (docs/exchange-access.md), or the config of a bot' },
  'spot-url': { ...text, describe: 'Address of the spot service; default: ISOBAR_SPOT_URL' },
  'futures-url': { ...text, describe: 'Address of the futures service; default: ISOBAR_FUTURES_URL' },
} as const;
