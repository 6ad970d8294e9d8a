// Lists of network addresses: single IPv4 or IPv6 addresses, and IPv4 networks.

import { ConfigError } from '../../../base/errors.ts';

/** An IPv4 network. An address belongs to it if `address & mask` equals `bits`. Both are unsigned 32-bit numbers. */
interface AddressRange {
  readonly bits: number;
  readonly mask: number;
}

/** A list of addresses and networks, such as the addresses from which a key may be used. */
export class Addresses {
  readonly #single = new Set<string>();
  readonly #networks: AddressRange[] = [];

  /** Throws ConfigError for text that is neither an address nor an IPv4 network. `where` names the list. */
  constructor(ranges: readonly string[], where: string) {
    for (const entry of ranges) {
      const [address = '', prefixText] = entry.split('/');
      const bits = bitsOf(address);
      const prefixBits = prefixText === undefined ? null : Number(prefixText);
      if (prefixBits === null && (bits !== null || address.includes(':'))) this.#single.add(plainAddress(address));
      else if (bits !== null && prefixBits !== null && Number.isInteger(prefixBits) && prefixBits >= 0 && prefixBits <= 32) {
        const mask = prefixBits === 0 ? 0 : (-1 << (32 - prefixBits)) >>> 0;
        this.#networks.push({ bits: (bits & mask) >>> 0, mask });
      } else throw new ConfigError(`${where}: ${entry} is not an address`, 'write 127.0.0.1, ::1 or a network such as 10.0.0.0/8');
    }
  }

  /** True when an entry of the list covers the address. An empty list covers none. */
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

/** Returns an IPv4 address as an unsigned 32-bit number; null for any other text. */
function bitsOf(address: string): number | null {
  const octets = address.split('.');
  if (octets.length !== 4 || !octets.every((octet) => /^\d{1,3}$/.test(octet) && Number(octet) <= 255)) return null;
  return octets.reduce((bits, octet) => bits * 256 + Number(octet), 0);
}
