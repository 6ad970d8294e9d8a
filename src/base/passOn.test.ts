// A proxy object passes reads and calls on to the object behind it.

import { expect, test } from 'vitest';
import { passOn } from './passOn.ts';

class Base {
  above(): string {
    return 'above';
  }
}
class Counter extends Base {
  #count = 0;
  get count(): number {
    return this.#count;
  }
  add(by: number): number {
    return (this.#count += by);
  }
}

test('methods run on the object behind, private fields and base classes included', () => {
  const counter = new Counter();
  const front = passOn(counter, {});
  expect(front.add(2)).toBe(2);
  expect(front.above()).toBe('above');
  expect(counter.count).toBe(2);
});

test('fields and accessors of the object behind are read at each use', () => {
  const counter = new Counter();
  const front = passOn(counter, {});
  counter.add(3);
  expect(front.count).toBe(3);
});

test('members of the front object replace those of the object behind it', () => {
  const counter = new Counter();
  const front = passOn(counter, { count: 7, add: (by) => counter.add(2 * by) });
  expect([front.add(2), front.count, counter.count]).toEqual([4, 7, 4]);
});

test('an accessor of the front is read at each use', () => {
  const counter = new Counter();
  const front = passOn(counter, {
    get count() {
      return counter.count + 100;
    },
  });
  counter.add(1);
  expect(front.count).toBe(101);
});
