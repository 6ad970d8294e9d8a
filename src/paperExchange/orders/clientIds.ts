// Maps a client order id to the latest order with it. It uses about six bytes an order, whether the order is in memory or in the store.

/** Orders in one table. Their numbers fit the low bits of a slot. */
const ORDERS_PER_TABLE = 1 << 15;
/** Slots of a table. At most two thirds are used. */
const SLOTS_PER_TABLE = 49_152;
/**
 * A slot holds 16 bits of the hash above the order number, which counts from 1. The hash bits rule out nearly all other orders without
 * reading them.
 */
const CHECK_SHIFT = 15;

/** The client order ids of one market, in hash tables. */
export class ClientIds {
  /** Tables by order number, in spans of `ORDERS_PER_TABLE`. A slot of 0 is free. */
  readonly #tables: (Uint32Array | undefined)[] = [];
  /** True when the order with this number belongs to the account and has the id. */
  readonly #hasClientId: (order: number, accountIndex: number, id: string) => boolean;

  constructor(hasClientId: (order: number, accountIndex: number, id: string) => boolean) {
    this.#hasClientId = hasClientId;
  }

  /** Adds an order. Numbers start at 0 and may come in any sequence. A later order replaces an earlier one with the same id. */
  add(order: number, accountIndex: number, id: string): void {
    const table = (this.#tables[Math.floor(order / ORDERS_PER_TABLE)] ??= new Uint32Array(SLOTS_PER_TABLE));
    const base = order - (order % ORDERS_PER_TABLE);
    const hash = hashOf(accountIndex, id);
    let slot = hash % SLOTS_PER_TABLE;
    for (; table[slot] !== 0; slot = (slot + 1) % SLOTS_PER_TABLE) {
      const otherNumber = numberIn(table[slot]!);
      if (!hasSameHashBits(table[slot]!, hash) || !this.#hasClientId(base + otherNumber, accountIndex, id)) continue;
      if (base + otherNumber > order) return;
      break;
    }
    table[slot] = slotOf(hash, order % ORDERS_PER_TABLE);
  }

  /** Returns the number of the account's latest order with this id; -1 if there is no such order. */
  find(accountIndex: number, id: string): number {
    const hash = hashOf(accountIndex, id);
    for (let tableIndex = this.#tables.length - 1; tableIndex >= 0; tableIndex--) {
      const table = this.#tables[tableIndex];
      if (table === undefined) continue;
      for (let slot = hash % SLOTS_PER_TABLE; table[slot] !== 0; slot = (slot + 1) % SLOTS_PER_TABLE) {
        const order = tableIndex * ORDERS_PER_TABLE + numberIn(table[slot]!);
        if (hasSameHashBits(table[slot]!, hash) && this.#hasClientId(order, accountIndex, id)) return order;
      }
    }
    return -1;
  }
}

/** Packs hash bits and an order number into a slot, and reads them back. */
const slotOf = (hash: number, number: number): number => ((hash >>> CHECK_SHIFT) & 0xffff) * 0x1_0000 + number + 1;
const numberIn = (slot: number): number => (slot & 0xffff) - 1;
const hasSameHashBits = (slot: number, hash: number): boolean => slot >>> 16 === ((hash >>> CHECK_SHIFT) & 0xffff);

/** Returns the hash of account and id: FNV-1a, with its bits mixed once more (the finalizer of MurmurHash3). */
function hashOf(accountIndex: number, id: string): number {
  let hash = Math.imul(0x811c9dc5 ^ accountIndex, 0x01000193);
  for (let index = 0; index < id.length; index++) hash = Math.imul(hash ^ id.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
