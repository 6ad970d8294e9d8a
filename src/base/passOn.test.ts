// Tests that a proxy object passes reads and calls on to the object behind it.

import { expect, test } from 'vitest';
import { passOn } from './passOn.ts';

class Base {
  inherited(): string {
    return 'inherited';
  }
}
class Counter extends Base {
  #count = 0;
  get count(): number {
    return this.#count;
  }
  add(increment: number): number {
    return (this.#count += increment);
  }
}

test('methods of a proxy object run on the object behind it, with private fields and base classes', () => {
  const counter = new Counter();
  const front = passOn(counter, {});
  expect(front.add(2)).toBe(2);
  expect(front.inherited()).toBe('inherited');
  expect(counter.count).toBe(2);
});

test('a proxy object reads fields and accessors of the object behind it at each use', () => {
  const counter = new Counter();
  const front = passOn(counter, {});
  counter.add(3);
  expect(front.count).toBe(3);
});

test('members of the front object of a proxy replace those of the object behind it', () => {
  const counter = new Counter();
  const front = passOn(counter, { count: 7, add: (increment) => counter.add(2 * increment) });
  expect([front.add(2), front.count, counter.count]).toEqual([4, 7, 4]);
});

test('a proxy object reads an accessor of its front object at each use', () => {
  const counter = new Counter();
  const front = passOn(counter, {
    get count() {
      return counter.count + 100;
    },
  });
  counter.add(1);
  expect(front.count).toBe(101);
});
