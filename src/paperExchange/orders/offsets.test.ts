// Tests compact lists of numbers, client ids and stored rows against plain maps and arrays.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededRng } from '../../base/number/rng.ts';
import { listPage } from './page.ts';
import { ClientIds } from './clientIds.ts';
import { type PagedRow, PagedList } from './pagedList.ts';
import { Offsets, TagColumn } from './offsets.ts';
import { MemoryRows } from '../records/rowStore.ts';

describe('Offsets', () => {
  it('Offsets return the values that were set, up to 2^40 - 2, and -1 for an unset number', () => {
    const offsetArbitrary = fc.oneof(
      fc.nat(),
      fc.integer({ min: 0, max: 2 ** 40 - 2 }),
      fc.constant(2 ** 32 - 1),
      fc.constant(2 ** 40 - 2),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat({ max: 40_000 }), offsetArbitrary)), (sets) => {
        const offsets = new Offsets();
        const expected = new Map(sets);
        for (const [index, offset] of sets) offsets.set(index, offset);
        for (const [index, offset] of expected) expect(offsets.get(index)).toBe(offset);
        expect(offsets.get(40_001)).toBe(-1);
        expect(offsets.length).toBe(Math.max(0, ...expected.keys()) + (sets.length > 0 ? 1 : 0));
      }),
    );
    expect(() => new Offsets().set(0, 2 ** 40 - 1)).toThrow(RangeError);
    expect(() => new Offsets().set(0, -1)).toThrow(RangeError);
  });

  it('a tag column returns the tags of 40,000 rows', () => {
    const tags = new TagColumn();
    for (let index = 0; index < 40_000; index++) tags.push(index % 65_536);
    expect([0, 16_383, 16_384, 39_999].map((index) => tags.at(index))).toEqual([0, 16_383, 16_384, 39_999]);
  });
});

describe('ClientIds', () => {
  it('ClientIds finds the latest order of an account with an id, as a map does', () => {
    const rng = seededRng(7);
    const orders: { account: number; id: string }[] = [];
    const ids = new ClientIds((order, account, id) => orders[order]?.account === account && orders[order].id === id);
    const latest = new Map<string, number>();
    // The orders fill more than two tables. A tenth of them reuse an id of an earlier order.
    for (let orderIndex = 0; orderIndex < 80_000; orderIndex++) {
      const order = {
        account: Math.floor(rng.next() * 3),
        id: rng.next() < 0.1 ? `again${Math.floor(rng.next() * 50)}` : `id${orderIndex}`,
      };
      orders.push(order);
      ids.add(orderIndex, order.account, order.id);
      latest.set(`${order.account} ${order.id}`, orderIndex);
    }
    for (const [key, orderIndex] of latest) {
      const [account = '', id = ''] = key.split(' ');
      if (ids.find(Number(account), id) !== orderIndex) expect(ids.find(Number(account), id), key).toBe(orderIndex);
    }
    expect(ids.find(0, 'never')).toBe(-1);
    expect(ids.find(3, 'id1')).toBe(-1);
  });

  it('ClientIds does not slow down when every order has the same id', () => {
    let lookUpCount = 0;
    const ids = new ClientIds(() => ++lookUpCount > 0);
    for (let order = 0; order < 100_000; order++) ids.add(order, 0, 'x');
    expect(ids.find(0, 'x')).toBe(99_999);
    expect(lookUpCount).toBeLessThan(110_000);
  });
});

describe('PagedList', () => {
  it('a paged list equals an array even if rows were moved to the store, and its pages equal a filter and a slice', () => {
    const step = fc.record({ tag: fc.nat({ max: 2 }), isStored: fc.boolean() });
    const query = fc.record({
      limit: fc.integer({ min: 1, max: 50 }),
      tag: fc.option(fc.nat({ max: 2 })),
      from: fc.option(fc.nat({ max: 420 })),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 400 }), query, (steps, { limit, tag, from }) => {
        const rows = new MemoryRows();
        const list = new PagedList<{ id: number }>((offset) => JSON.parse(rows.read(offset)) as { id: number });
        const waiting: PagedRow<{ id: number }>[] = [];
        steps.forEach(({ tag: rowTag, isStored }, id) => {
          const pagedRow = { row: { id }, tag: rowTag, storeOffset: -1 };
          list.push(pagedRow);
          waiting.push(pagedRow);
          if (isStored) for (const storedRow of waiting.splice(0)) storedRow.storeOffset = rows.add(JSON.stringify(storedRow.row));
        });
        const allRows = steps.map((row, id) => ({ id, tag: row.tag }));
        expect(Array.from({ length: list.length }, (_, index) => [list.at(index).id, list.tagAt(index)])).toEqual(
          allRows.map((row) => [row.id, row.tag]),
        );
        const matchingRows = allRows.filter((row) => (tag === null || row.tag === tag) && (from === null || row.id >= from));
        const expected = (from === null ? matchingRows.slice(-limit) : matchingRows.slice(0, limit)).toReversed();
        const result = listPage(list, limit, tag, from === null ? null : ({ id }) => id < from);
        expect(result.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
      }),
      { numRuns: 60 },
    );
  });
});
