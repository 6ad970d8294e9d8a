// Tests lists of own trades: each list equals the encoding of all its trades, and a trade is encoded once.

import { expect, it } from 'vitest';
import type { Instrument } from '../../model/instrument.ts';
import { encodeAnswer, listing } from '../../protocol/shapes/answer.ts';
import { spotFillsAnswer } from '../../protocol/shapes/spot.ts';
import { PROFILES } from '../dialect/profile.ts';
import { UserOrders, type OwnTrade, type UserOrder } from '../orders/userOrder.ts';
import { spotInstrument } from '../../../test/fixtures/drafts.ts';
import { spotFillRecord } from './spotText.ts';
import { TradeLists } from './tradeLists.ts';

const INSTRUMENTS = [spotInstrument('AAA'), spotInstrument('BBB')];

/** Returns an account's trades, their lists, and how many trades were read to build them. */
function openLists(variants = PROFILES.seed) {
  const orders = new UserOrders<UserOrder, OwnTrade>('1', {
    order: () => expect.unreachable('no order is read'),
    trade: () => expect.unreachable('every trade is in memory'),
    tagOf: (instrument) => INSTRUMENTS.indexOf(instrument),
  });
  const count = { read: 0, places: 0 };
  const tradeAt = (account: number, place: number): OwnTrade => {
    count.read++;
    return orders.tradeAt(account, place);
  };
  const tradeIndexes: typeof orders.tradeIndexes = (...query) => {
    count.places++;
    return orders.tradeIndexes(...query);
  };
  const countingOrders = { tradeCount: orders.tradeCount.bind(orders), tradeIndexes, tradeAt };
  const lists = new TradeLists(countingOrders, { answer: spotFillsAnswer, recordOf: spotFillRecord, variants });
  let tradeId = 0;
  const add = (account: number, instrument = INSTRUMENTS[tradeId % 2]!): void => {
    const ids = { tradeId: ++tradeId, bidId: `${tradeId}1`, askId: `${tradeId}2` };
    const row = { ...ids, instrument, price: 10_000 + tradeId, lots: tradeId, timeMs: tradeId, isBuyer: tradeId % 3 === 0 };
    orders.showTrade(account, {
      row: { ...row, isMaker: false, fee: tradeId, feeInBase: tradeId % 5 === 0 },
      tag: (tradeId + 1) % 2,
      storeOffset: -1,
    });
  };
  const expected = (account: number, instrument: Instrument | null, limit: number, fromId: number | null): string =>
    encodeAnswer(spotFillsAnswer, listing(orders.trades(account, instrument, limit, fromId).map(spotFillRecord)), variants);
  return { add, count, expected, lists };
}

it('every list equals the encoding of all its trades, in each form', () => {
  for (const form of ['bare', 'list'] as const) {
    const { add, expected, lists } = openLists({ ...PROFILES.seed, lists: form });
    for (let round = 0; round < 60; round++) {
      for (const account of [0, 1])
        for (const instrument of [null, ...INSTRUMENTS])
          for (const [limit, fromId] of [
            [3, null],
            [100, null],
            [4, 7],
            [100, round],
          ] as const)
            expect(lists.bodyOf({ account, instrument, limit, fromId })).toBe(expected(account, instrument, limit, fromId));
      add(round % 3 === 0 ? 1 : 0);
    }
  }
});

it('a trade that several lists show is encoded once', () => {
  const { add, count, expected, lists } = openLists();
  const query = { account: 0, instrument: null, limit: 1000, fromId: null };
  for (let trade = 0; trade < 600; trade++) {
    add(0);
    lists.bodyOf(query);
    lists.bodyOf({ ...query, limit: 900 });
  }
  expect(count.read).toBe(600);
  expect(lists.bodyOf(query)).toBe(expected(0, null, 1000, null));
});

it('a list that has not changed is built again only after requests for many other lists', () => {
  const { add, count, lists } = openLists();
  for (let trade = 0; trade < 20; trade++) add(0);
  const listOf = (limit: number): string => lists.bodyOf({ account: 0, instrument: null, limit, fromId: null });
  const firstBody = listOf(20);
  const { places } = count;
  expect(listOf(20)).toBe(firstBody);
  expect(count.places).toBe(places);
  for (let limit = 21; limit < 21 + 128; limit++) listOf(limit);
  expect(listOf(20)).toBe(firstBody);
  expect(count.places).toBe(places + 128 + 1);
});

it('rows beyond those that are kept are encoded again', () => {
  const { add, count, expected, lists } = openLists();
  const query = { account: 0, instrument: null, limit: 17_000, fromId: null };
  for (let trade = 0; trade < 17_000; trade++) add(0);
  const firstBody = lists.bodyOf(query);
  expect(firstBody).toBe(expected(0, null, 17_000, null));
  expect(lists.bodyOf(query)).toBe(firstBody);
  expect(count.read).toBeGreaterThan(17_000);
});
