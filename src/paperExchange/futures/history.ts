// The orders or triggers of an account in the order of their appearance, found by their numbers.

import { InvariantError } from '../../base/errors.ts';
import type { IndexedList } from '../orders/pagedList.ts';
import { Offsets, TagColumn } from '../orders/offsets.ts';

export class History<T> implements IndexedList<T> {
  readonly #numbers = new Offsets();
  readonly #tags = new TagColumn();
  readonly #numbered: (number: number) => T | null;

  constructor(numbered: (number: number) => T | null) {
    this.#numbered = numbered;
  }

  get length(): number {
    return this.#numbers.length;
  }
  tagAt(index: number): number {
    return this.#tags.at(index);
  }
  at(index: number): T {
    const found = this.#numbered(this.#numbers.get(index));
    if (found === null) throw new InvariantError('the history has something that is not there');
    return found;
  }

  push(number: number, tag: number): void {
    this.#numbers.push(number);
    this.#tags.push(tag);
  }
}
