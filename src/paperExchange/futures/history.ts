// What an account has had of one kind, by the time of its appearance: which of them, in which order; they are found by their numbers.

import { InvariantError } from '../../base/errors.ts';
import type { Listed } from '../orders/longList.ts';
import { Places, Tags } from '../orders/places.ts';

export class History<T> implements Listed<T> {
  readonly #numbers = new Places();
  readonly #tags = new Tags();
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
