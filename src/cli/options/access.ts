// Options of all commands that connect to an exchange.

import { TEXT_OPTION } from './textOption.ts';

/** The options of commands that call an exchange. */
export const accessOptions = {
  config: { ...TEXT_OPTION, describe: 'Access file (docs/exchange-access.md), or the config of a bot' },
  'spot-url': { ...TEXT_OPTION, describe: 'Address of the spot service; default: ISOBAR_SPOT_URL' },
  'futures-url': { ...TEXT_OPTION, describe: 'Address of the futures service; default: ISOBAR_FUTURES_URL' },
} as const;
