// The columns that a run keeps of its orders: one row an order, written once, when it ends.

import { assert } from '../base/assert.ts';
import { ENDINGS, ROLES, SIDES, type OrderColumns } from '../model/run.ts';
import type { OrderRecord } from './record.ts';

const NUMBERS = ['id', 'parent', 'lots', 'quoteUnits', 'limit', 'filledLots', 'filledUnits', 'createdMs', 'arrivedMs', 'doneMs', 'slot', 'code'] as const;
const BYTES = ['strategy', 'instrument', 'side', 'role', 'ending', 'reduceOnly', 'wasUnknown'] as const;
type Numbers = Record<(typeof NUMBERS)[number], Float64Array>;
type Bytes = Record<(typeof BYTES)[number], Uint8Array>;

const numbers = (capacity: number) => Object.fromEntries(NUMBERS.map((name) => [name, new Float64Array(capacity)])) as Numbers;
const bytes = (capacity: number) => Object.fromEntries(BYTES.map((name) => [name, new Uint8Array(capacity)])) as Bytes;

export class OrderLog {
  #capacity = 1024;
  #numbers = numbers(1024);
  #bytes = bytes(1024);
  readonly #texts: string[] = [''];
  readonly #textAt = new Map<string, number>([['', 0]]);
  #length = 0;

  /** Writes the row of an order that has ended, or that is still open when the run ends. */
  write(order: OrderRecord, nowMs: number): void {
    const row = order.id - 1;
    while (row >= this.#capacity) this.#grow();
    if (row >= this.#length) this.#length = row + 1;
    const number = this.#numbers;
    number.id[row] = order.id;
    number.parent[row] = order.parent;
    number.lots[row] = order.lots;
    number.quoteUnits[row] = order.quoteUnits;
    number.limit[row] = order.limit > 0 ? order.limit : order.trigger;
    number.filledLots[row] = order.filledLots;
    number.filledUnits[row] = order.filledUnits;
    number.createdMs[row] = order.createdMs;
    number.arrivedMs[row] = order.arrivedMs;
    number.doneMs[row] = order.reason === null ? NaN : nowMs;
    number.slot[row] = this.#text(order.slot);
    number.code[row] = order.code === null ? 0 : this.#text(order.code);
    const byte = this.#bytes;
    byte.strategy[row] = order.strategy;
    byte.instrument[row] = order.instrumentIndex;
    byte.side[row] = SIDES.indexOf(order.side);
    byte.role[row] = ROLES.indexOf(order.role);
    byte.ending[row] = ENDINGS.indexOf(order.reason ?? 'open');
    byte.reduceOnly[row] = order.reduceOnly ? 1 : 0;
    byte.wasUnknown[row] = order.wasUnknown ? 1 : 0;
  }

  columns(count: number): OrderColumns {
    assert(this.#length === count, `${count} orders were drafted, ${this.#length} are in the log`);
    const cut = <T extends Float64Array | Uint8Array>(columns: Record<string, T>) =>
      Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, column.subarray(0, count)]));
    return { length: count, ...(cut(this.#numbers) as Numbers), ...(cut(this.#bytes) as Bytes), texts: this.#texts };
  }

  #text(text: string): number {
    const known = this.#textAt.get(text);
    if (known !== undefined) return known;
    this.#textAt.set(text, this.#texts.length);
    return this.#texts.push(text) - 1;
  }

  #grow(): void {
    this.#capacity *= 2;
    const [wideNumbers, wideBytes] = [numbers(this.#capacity), bytes(this.#capacity)];
    for (const name of NUMBERS) wideNumbers[name].set(this.#numbers[name]);
    for (const name of BYTES) wideBytes[name].set(this.#bytes[name]);
    this.#numbers = wideNumbers;
    this.#bytes = wideBytes;
  }
}
