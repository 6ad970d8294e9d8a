// Tests the removal of an item of a list by its index.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { removeAt } from './removeAt.ts';

describe('removeAt', () => {
  it('removeAt leaves the same list as splice', () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), fc.nat(20), (list, index) => {
        const expected = list.toSpliced(index, 1);
        removeAt(list, index);
        expect(list).toEqual(expected);
      }),
    );
  });
  it('removeAt removes nothing at -1, the index of a missing item', () => {
    const list = [1, 2];
    removeAt(list, -1);
    expect(list).toEqual([1, 2]);
  });
});
