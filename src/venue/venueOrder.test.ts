// Tests of the table of orders: records are found by id, and no memory grows with the number of ended orders.

import { expect, test } from 'vitest';
import { spotInstrument } from '../../test/fixtures/spotVenue.ts';
import { Account } from './account.ts';
import { type VenueOrderRecord, OrderTable } from './venueOrder.ts';

const instrument = spotInstrument();
const owner = new Account('main', false, 10_000);

function acquire(table: OrderTable): VenueOrderRecord {
  const order = table.acquire(instrument, owner);
  order.account = 0;
  return order;
}

test('an open order is found after any number of later orders, and ended orders leave no memory behind', () => {
  const table = new OrderTable();
  const overflow = () => table['overflow'].size;
  const acquired = acquire(table);
  let before = acquire(table);
  for (let i = 0; i < 20_000; i++) {
    const order = acquire(table);
    expect(table.find(order.id)).toBe(order);
    table.release(before);
    before = order;
  }
  expect(table.find(acquired.id)).toBe(acquired);
  expect(table.find(before.id - 1)).toBe(null);
  expect(overflow()).toBe(1);
  table.release(acquired);
  table.release(before);
  expect(table.find(acquired.id)).toBe(null);
  expect(overflow()).toBe(0);
});

test('two thousand open orders are each found by their id', () => {
  const table = new OrderTable();
  const orders = Array.from({ length: 2_000 }, () => acquire(table));
  orders.forEach((order, i) => expect(order.id).toBe(i + 1));
  for (const order of orders) if (order.id % 3 === 0) table.release(order);
  for (let id = 1; id <= 2_000; id++) expect(table.find(id)).toBe(id % 3 === 0 ? null : orders[id - 1]);
});

test('the next order reuses the record of an ended one, and a released order is not found', () => {
  const table = new OrderTable();
  const first = acquire(table);
  table.release(first);
  expect([0, 1].map((id) => table.find(id))).toEqual([null, null]);
  expect(() => table.release(first)).toThrow('released once');
  const second = acquire(table);
  expect(second).toBe(first);
  expect([1, 2].map((id) => table.find(id))).toEqual([null, second]);
  const third = acquire(table);
  table.release(second);
  expect(acquire(table)).toBe(second);
  expect([2, 3, 4].map((id) => table.find(id))).toEqual([null, third, second]);
});
