// Tests client order ids: 26 characters that identify the bot process and the order.

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { InvariantError } from '../base/errors.ts';
import type { OrderId } from '../model/order.ts';
import { CLIENT_ID } from './arguments.ts';
import { clientOrderIdOf, isClientOrderId, orderIdIn, runPrefix } from './clientOrderId.ts';

const orderId = (value: number) => value as OrderId;
const anyId = fc.integer({ min: 1, max: 2 ** 50 - 1 }).map(orderId);
const anyPrefix = fc.tuple(fc.nat({ max: 2 ** 45 }), fc.nat({ max: 2 ** 30 - 1 })).map(([ms, random]) => runPrefix(ms, random));

test('an order always has the same client order id, and the order id can be read from it in either letter case', () => {
  fc.assert(
    fc.property(anyPrefix, anyId, (prefix, id) => {
      const text = clientOrderIdOf(prefix, id);
      expect(text).toHaveLength(26);
      expect(text).toMatch(CLIENT_ID);
      expect(clientOrderIdOf(prefix, id)).toBe(text);
      expect(orderIdIn(prefix, text)).toBe(id);
      expect(orderIdIn(prefix, text.toLowerCase())).toBe(id);
    }),
  );
});

test('two orders or two runs never share a client order id, and ids sort in the order of the orders', () => {
  fc.assert(
    fc.property(anyPrefix, anyPrefix, anyId, anyId, (prefix, otherPrefix, id, otherId) => {
      const isSameOrder = prefix === otherPrefix && id === otherId;
      expect(clientOrderIdOf(prefix, id) === clientOrderIdOf(otherPrefix, otherId)).toBe(isSameOrder);
      expect(clientOrderIdOf(prefix, id) < clientOrderIdOf(prefix, otherId)).toBe(id < otherId);
      if (prefix !== otherPrefix) expect(orderIdIn(prefix, clientOrderIdOf(otherPrefix, otherId))).toBeNull();
    }),
  );
});

test('a client order id of another form has no order id, and invalid numbers throw', () => {
  const prefix = runPrefix(1_700_000_000_000, 12345);
  expect(prefix).toBe('01HF7YAT00000C1S');
  expect(clientOrderIdOf(prefix, orderId(1))).toBe('01HF7YAT00000C1S0000000001');
  for (const text of ['', '0', prefix, `${prefix}0000000000`, `${prefix}000000000U`, `${prefix}00000000001`, 'x'.repeat(26)]) {
    expect(orderIdIn(prefix, text), text).toBeNull();
  }
  expect(() => runPrefix(-1, 0)).toThrow(InvariantError);
  expect(() => runPrefix(0, 2 ** 30)).toThrow(InvariantError);
  expect(() => runPrefix(0, 0.5)).toThrow(InvariantError);
  expect(() => clientOrderIdOf('short', orderId(1))).toThrow(InvariantError);
  expect(() => clientOrderIdOf(prefix, orderId(2 ** 50))).toThrow(InvariantError);
});

test('a client order id of a bot is recognised by its form', () => {
  const id = clientOrderIdOf(runPrefix(Date.UTC(2026, 0, 1), 7), 12 as OrderId);
  expect([id, id.toLowerCase()].map(isClientOrderId)).toEqual([true, true]);
  for (const otherText of ['', '0', 'my-order-1', id.slice(1), `${id}0`, '0'.repeat(26), 'Z'.repeat(26), id.replace(/.$/, 'U')])
    expect(isClientOrderId(otherText)).toBe(false);
});
