// The fills of a run as growable columns: one row a fill, no object.

import type { FillColumns } from '../model/run.ts';

const NUMBERS = ['tradeId', 'orderId', 'price', 'lots', 'notional', 'fee', 'timeMs'] as const;
const BYTES = ['strategy', 'instrument', 'side', 'isMaker', 'feeInBase'] as const;

const numbers = (capacity: number) =>
  Object.fromEntries(NUMBERS.map((name) => [name, new Float64Array(capacity)])) as Record<(typeof NUMBERS)[number], Float64Array>;
const bytes = (capacity: number) =>
  Object.fromEntries(BYTES.map((name) => [name, new Uint8Array(capacity)])) as Record<(typeof BYTES)[number], Uint8Array>;

export class FillLog {
  length = 0;
  #capacity = 1024;
  #numbers = numbers(1024);
  #bytes = bytes(1024);

  push(
    strategy: number,
    instrument: number,
    isBuy: boolean,
    orderId: number,
    tradeId: number,
    price: number,
    lots: number,
    notional: number,
    fee: number,
    feeInBase: boolean,
    isMaker: boolean,
    timeMs: number,
  ): void {
    if (this.length === this.#capacity) this.#grow();
    const row = this.length++;
    const number = this.#numbers;
    number.tradeId[row] = tradeId;
    number.orderId[row] = orderId;
    number.price[row] = price;
    number.lots[row] = lots;
    number.notional[row] = notional;
    number.fee[row] = fee;
    number.timeMs[row] = timeMs;
    const byte = this.#bytes;
    byte.strategy[row] = strategy;
    byte.instrument[row] = instrument;
    byte.side[row] = isBuy ? 0 : 1;
    byte.isMaker[row] = isMaker ? 1 : 0;
    byte.feeInBase[row] = feeInBase ? 1 : 0;
  }

  columns(): FillColumns {
    const cut = <T extends Float64Array | Uint8Array, K extends string>(columns: Record<K, T>) =>
      Object.fromEntries(Object.entries<T>(columns).map(([name, column]) => [name, column.subarray(0, this.length)])) as Record<K, T>;
    return { length: this.length, ...cut(this.#numbers), ...cut(this.#bytes) };
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
