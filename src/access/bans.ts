// Bans on disk, a file for each address of the exchange: whoever calls that address next keeps to them, in this process or another.

import { join } from 'node:path';
import type { Ban, BanStore } from '../adapters/exchange/bans/banStore.ts';
import { FileBanStore } from '../adapters/exchange/bans/fileBanStore.ts';

/** What it reads is the ban that ends last, or one that cannot be read; what it writes counts for all of these origins. */
export function bansOf(stateFolder: string, origins: readonly string[]): BanStore {
  const stores = [...new Set(origins)].map((origin) => new FileBanStore(join(stateFolder, 'bans', `${originName(origin)}.json`)));
  return {
    read() {
      const found = stores.map((store) => store.read()).filter((ban) => ban !== null);
      const unreadable = found.find((ban) => 'unreadable' in ban);
      const bans = found.filter((ban): ban is Ban => 'untilMs' in ban);
      return unreadable ?? bans.toSorted((a, b) => b.untilMs - a.untilMs)[0] ?? null;
    },
    write(ban) {
      for (const store of stores) store.write(ban);
    },
  };
}

/** What this computer is called beside 127.0.0.1: the same service answers there, and has the same accounts and bans. */
const THIS_COMPUTER = /^(localhost|\[::1\])(?=:|$)/;

/** Of an address, as a file can be called: `api.example.com`, `127.0.0.1_8080`. */
export const originName = (origin: string): string =>
  origin
    .replace(/^https?:\/\//, '')
    .replace(THIS_COMPUTER, '127.0.0.1')
    .replace(/[^\w.-]/g, '_');
