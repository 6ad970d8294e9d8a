// The order history of one account: which orders, in which order; the orders themselves are found by their numbers.

import { InvariantError } from '../../base/errors.ts';
import type { Listed } from '../durable/longList.ts';
import { Places, Tags } from '../durable/places.ts';
import type { FuturesOrder } from './futuresOrder.ts';

export class History implements Listed<FuturesOrder> {
  readonly #numbers = new Places();
  readonly #tags = new Tags();
  readonly #numbered: (number: number) => FuturesOrder | null;

  constructor(numbered: (number: number) => FuturesOrder | null) {
    this.#numbered = numbered;
  }

  get length(): number {
    return this.#numbers.length;
  }
  tagAt(index: number): number {
    return this.#tags.at(index);
  }
  at(index: number): FuturesOrder {
    const order = this.#numbered(this.#numbers.get(index));
    if (order === null) throw new InvariantError('the history has an order that is not there');
    return order;
  }

  push(number: number, tag: number): void {
    this.#numbers.push(number);
    this.#tags.push(tag);
  }
}
