// Lists of network addresses: single IPv4 or IPv6 addresses, and IPv4 networks.

import { ConfigError } from '../../../base/errors.ts';

interface Network {
  readonly bits: number;
  readonly mask: number;
}

export class Addresses {
  readonly #single = new Set<string>();
  readonly #networks: Network[] = [];

  /** Throws ConfigError for text that is neither an address nor an IPv4 network. `where` names the list. */
  constructor(list: readonly string[], where: string) {
    for (const each of list) {
      const [address = '', length] = each.split('/');
      const bits = bitsOf(address);
      const size = length === undefined ? null : Number(length);
      if (size === null && (bits !== null || address.includes(':'))) this.#single.add(plainAddress(address));
      else if (bits !== null && size !== null && Number.isInteger(size) && size >= 0 && size <= 32) {
        const mask = size === 0 ? 0 : (-1 << (32 - size)) >>> 0;
        this.#networks.push({ bits: (bits & mask) >>> 0, mask });
      } else throw new ConfigError(`${where}: ${each} is not an address`, 'write 127.0.0.1, ::1 or a network such as 10.0.0.0/8');
    }
  }

  has(address: string): boolean {
    if (this.#single.size === 0 && this.#networks.length === 0) return false;
    const text = plainAddress(address);
    if (this.#single.has(text)) return true;
    const bits = bitsOf(text);
    return bits !== null && this.#networks.some((network) => (bits & network.mask) >>> 0 === network.bits);
  }
}

/** Returns an address in its plain form. A dual-stack socket reports an IPv4 address as `::ffff:1.2.3.4`; this removes the prefix. */
export const plainAddress = (address: string): string =>
  address.includes(':') ? address.toLowerCase().replace(/^::ffff:(?=\d+\.)/, '') : address;

function bitsOf(address: string): number | null {
  const parts = address.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) <= 255)) return null;
  return parts.reduce((bits, part) => bits * 256 + Number(part), 0);
}
