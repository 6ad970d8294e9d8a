// Compact lists of numbers, client ids and stored rows, compared with plain maps and arrays.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededRng } from '../../base/number/rng.ts';
import { page } from './page.ts';
import { ClientIds } from './clientIds.ts';
import { type PagedRow, PagedList } from './pagedList.ts';
import { Offsets, TagColumn } from './offsets.ts';
import { MemoryRows } from '../records/rowStore.ts';

describe('Places', () => {
  it('Offsets return what was set, up to 2^40 - 2, and -1 for an unset number', () => {
    const place = fc.oneof(fc.nat(), fc.integer({ min: 0, max: 2 ** 40 - 2 }), fc.constant(2 ** 32 - 1), fc.constant(2 ** 40 - 2));
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat({ max: 40_000 }), place)), (sets) => {
        const places = new Offsets();
        const expected = new Map(sets);
        for (const [index, at] of sets) places.set(index, at);
        for (const [index, at] of expected) expect(places.get(index)).toBe(at);
        expect(places.get(40_001)).toBe(-1);
        expect(places.length).toBe(Math.max(0, ...expected.keys()) + (sets.length > 0 ? 1 : 0));
      }),
    );
    expect(() => new Offsets().set(0, 2 ** 40 - 1)).toThrow(RangeError);
    expect(() => new Offsets().set(0, -1)).toThrow(RangeError);
  });

  it('Offsets keep tags beside the numbers', () => {
    const tags = new TagColumn();
    for (let at = 0; at < 40_000; at++) tags.push(at % 65_536);
    expect([0, 16_383, 16_384, 39_999].map((at) => tags.at(at))).toEqual([0, 16_383, 16_384, 39_999]);
  });
});

describe('ClientIds', () => {
  it('ClientIds finds the latest order of an account with an id, as a map does', () => {
    const rng = seededRng(7);
    const orders: { account: number; id: string }[] = [];
    const ids = new ClientIds((order, account, id) => orders[order]?.account === account && orders[order].id === id);
    const latest = new Map<string, number>();
    // Beyond two tables; ids are taken again, near and far.
    for (let order = 0; order < 80_000; order++) {
      const one = { account: Math.floor(rng.next() * 3), id: rng.next() < 0.1 ? `again${Math.floor(rng.next() * 50)}` : `id${order}` };
      orders.push(one);
      ids.add(order, one.account, one.id);
      latest.set(`${one.account} ${one.id}`, order);
    }
    for (const [key, order] of latest) {
      const [account = '', id = ''] = key.split(' ');
      if (ids.find(Number(account), id) !== order) expect(ids.find(Number(account), id), key).toBe(order);
    }
    expect(ids.find(0, 'never')).toBe(-1);
    expect(ids.find(3, 'id1')).toBe(-1);
  });

  it('ClientIds does not slow down when every order has the same id', () => {
    let looks = 0;
    const ids = new ClientIds(() => ++looks > 0);
    for (let order = 0; order < 100_000; order++) ids.add(order, 0, 'x');
    expect(ids.find(0, 'x')).toBe(99_999);
    expect(looks).toBeLessThan(110_000);
  });
});

describe('LongList', () => {
  it('LongList is an array, whatever lies elsewhere by now; pages of it are what a filter and a slice give', () => {
    const step = fc.record({ tag: fc.nat({ max: 2 }), lies: fc.boolean() });
    const asked = fc.record({
      limit: fc.integer({ min: 1, max: 50 }),
      tag: fc.option(fc.nat({ max: 2 })),
      from: fc.option(fc.nat({ max: 420 })),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 400 }), asked, (steps, { limit, tag, from }) => {
        const rows = new MemoryRows();
        const list = new PagedList<{ id: number }>((place) => JSON.parse(rows.read(place)) as { id: number });
        const waiting: PagedRow<{ id: number }>[] = [];
        steps.forEach(({ tag: of, lies }, id) => {
          const kept = { row: { id }, tag: of, place: -1 };
          list.push(kept);
          waiting.push(kept);
          if (lies) for (const each of waiting.splice(0)) each.place = rows.add(JSON.stringify(each.row));
        });
        const all = steps.map((each, id) => ({ id, tag: each.tag }));
        expect(Array.from({ length: list.length }, (_, at) => [list.at(at).id, list.tagAt(at)])).toEqual(
          all.map((each) => [each.id, each.tag]),
        );
        const right = all.filter((each) => (tag === null || each.tag === tag) && (from === null || each.id >= from));
        const expected = (from === null ? right.slice(-limit) : right.slice(0, limit)).toReversed();
        const found = page(list, limit, tag, from === null ? null : ({ id }) => id < from);
        expect(found.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
      }),
      { numRuns: 60 },
    );
  });
});
