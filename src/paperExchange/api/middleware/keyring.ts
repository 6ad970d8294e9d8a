// API keys: their account, their permissions and their allowed addresses. Secrets never leave this file, only signing functions do.

import { createHmac, createSecretKey } from 'node:crypto';
import type { Market } from '../../../model/instrument.ts';
import { utf8 } from '../../../protocol/json/json.ts';
import type { AccountConfig } from '../../dialect/config.ts';
import { Addresses } from './addresses.ts';

/** One API key of an account. */
export interface Key {
  readonly apiKey: string;
  /** Index of the account in the config, and fields copied from that account. */
  readonly account: number;
  readonly uid: string;
  readonly isClosed: boolean;
  readonly mayRead: boolean;
  readonly mayTrade: boolean;
  readonly markets: readonly Market[];
  /** Null: any address. */
  readonly addresses: Addresses | null;
  /** Returns the HMAC-SHA256 under the secret, in hexadecimal digits. It covers `head`, followed by `body` unless that is null. */
  readonly sign: (head: string, body: Uint8Array | null) => string;
}

/** All keys of the exchange. */
export class Keyring {
  readonly #keys = new Map<string, Key>();

  constructor(accounts: readonly AccountConfig[]) {
    accounts.forEach(({ name, uid, closed, keys }, account) => {
      for (const { apiKey, secret, permissions, ips } of keys) {
        // Prepared once, not for every signature.
        const key = createSecretKey(utf8(secret));
        this.#keys.set(apiKey, {
          apiKey,
          account,
          uid,
          isClosed: closed === true,
          mayRead: permissions.read,
          mayTrade: permissions.trade,
          markets: permissions.markets,
          addresses: ips === null ? null : new Addresses(ips, `account ${name} ips`),
          sign(head, body) {
            const hmac = createHmac('sha256', key).update(head);
            return (body === null ? hmac : hmac.update(body)).digest('hex');
          },
        });
      }
    });
  }

  /** Returns the key, or null if no account has it. Case matters. */
  find(apiKey: string): Key | null {
    return this.#keys.get(apiKey) ?? null;
  }
}
