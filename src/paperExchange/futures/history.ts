// The orders or triggers of an account in the order of their appearance, found by their numbers.

import { InvariantError } from '../../base/errors.ts';
import type { IndexedList } from '../orders/pagedList.ts';
import { Offsets, TagColumn } from '../orders/offsets.ts';

/** A history by number. `findNumbered` returns the order or trigger with a number; null if it does not exist. */
export class NumberedHistory<T> implements IndexedList<T> {
  readonly #numbers = new Offsets();
  readonly #tags = new TagColumn();
  readonly #findNumbered: (number: number) => T | null;

  constructor(findNumbered: (number: number) => T | null) {
    this.#findNumbered = findNumbered;
  }

  get length(): number {
    return this.#numbers.length;
  }
  tagAt(index: number): number {
    return this.#tags.at(index);
  }
  at(index: number): T {
    const row = this.#findNumbered(this.#numbers.get(index));
    if (row === null) throw new InvariantError('the history names a number that does not exist');
    return row;
  }

  push(number: number, tag: number): void {
    this.#numbers.push(number);
    this.#tags.push(tag);
  }
}
