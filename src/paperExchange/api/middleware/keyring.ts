// API keys: whose they are, what they may do and from where; a secret leaves this file as a function that signs.

import { createHmac } from 'node:crypto';
import type { Market } from '../../../model/instrument.ts';
import { utf8 } from '../../../protocol/json/json.ts';
import type { AccountConfig } from '../../dialect/config.ts';
import { Addresses } from './addresses.ts';

export interface Key {
  readonly apiKey: string;
  /** Index of the account in the config, and what stands there. */
  readonly account: number;
  readonly uid: string;
  readonly isClosed: boolean;
  readonly mayRead: boolean;
  readonly mayTrade: boolean;
  readonly markets: readonly Market[];
  /** Null: from anywhere. */
  readonly addresses: Addresses | null;
  /** HMAC-SHA256 under the secret, in hexadecimal digits: of a text and, where there is one, the bytes behind it. */
  readonly sign: (head: string, body: Uint8Array | null) => string;
}

export class Keyring {
  readonly #keys = new Map<string, Key>();

  constructor(accounts: readonly AccountConfig[]) {
    accounts.forEach(({ name, uid, closed, keys }, account) => {
      for (const { apiKey, secret, permissions, ips } of keys) {
        // As bytes, which text would be made into at each signature.
        const bytes = utf8(secret);
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
            const hmac = createHmac('sha256', bytes).update(head);
            return (body === null ? hmac : hmac.update(body)).digest('hex');
          },
        });
      }
    });
  }

  /** Null for a key that nobody has; case matters. */
  find(apiKey: string): Key | null {
    return this.#keys.get(apiKey) ?? null;
  }
}
