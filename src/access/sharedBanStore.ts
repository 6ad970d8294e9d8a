// Stores bans on disk, one file for each address of the exchange, so that all processes obey them.

import { join } from 'node:path';
import type { Ban, BanStore } from '../adapters/exchange/bans/banStore.ts';
import { FileBanStore } from '../adapters/exchange/bans/fileBanStore.ts';

/**
 * Returns one store for the bans of several origins. `read` reports an unreadable file if there is one, otherwise it returns the ban that ends
 * last. `write` stores the ban for each origin.
 */
export function sharedBanStore(stateFolder: string, origins: readonly string[]): BanStore {
  const stores = [...new Set(origins)].map((origin) => new FileBanStore(join(stateFolder, 'bans', `${originName(origin)}.json`)));
  return {
    read() {
      const storedBans = stores.map((store) => store.read()).filter((ban) => ban !== null);
      const unreadable = storedBans.find((ban) => 'unreadable' in ban);
      const bans = storedBans.filter((ban): ban is Ban => 'untilMs' in ban);
      return unreadable ?? bans.toSorted((a, b) => b.untilMs - a.untilMs)[0] ?? null;
    },
    write(ban) {
      for (const store of stores) store.write(ban);
    },
  };
}

/** Other names of 127.0.0.1. The service behind them is the same, and so are its bans. */
const THIS_COMPUTER = /^(localhost|\[::1\])(?=:|$)/;

/** Returns a file name for an address, such as `api.example.com` or `127.0.0.1_8080`. */
export const originName = (origin: string): string =>
  origin
    .replace(/^https?:\/\//, '')
    .replace(THIS_COMPUTER, '127.0.0.1')
    .replace(/[^\w.-]/g, '_');
