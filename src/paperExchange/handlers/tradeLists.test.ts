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

/**
 * Opens the trades of accounts and their lists. `add` books a trade, `expected` encodes a list from the trades alone, and `reads` counts how
 * often trades and lists of trade indexes were read.
 */
function openLists(variants = PROFILES.seed) {
  const orders = new UserOrders<UserOrder, OwnTrade>('1', {
    order: () => expect.unreachable('no order is read'),
    trade: () => expect.unreachable('every trade is in memory'),
    tagOf: (instrument) => INSTRUMENTS.indexOf(instrument),
  });
  const reads = { trades: 0, indexLists: 0 };
  const tradeAt = (accountIndex: number, tradeIndex: number): OwnTrade => {
    reads.trades++;
    return orders.tradeAt(accountIndex, tradeIndex);
  };
  const tradeIndexes: typeof orders.tradeIndexes = (...query) => {
    reads.indexLists++;
    return orders.tradeIndexes(...query);
  };
  const countingOrders = { tradeCount: orders.tradeCount.bind(orders), tradeIndexes, tradeAt };
  const lists = new TradeLists(countingOrders, { answer: spotFillsAnswer, recordOf: spotFillRecord, variants });
  let tradeId = 0;
  const add = (accountIndex: number, instrument = INSTRUMENTS[tradeId % 2]!): void => {
    const ids = { tradeId: ++tradeId, bidId: `${tradeId}1`, askId: `${tradeId}2` };
    const row = { ...ids, instrument, price: 10_000 + tradeId, lots: tradeId, timeMs: tradeId, isBuyer: tradeId % 3 === 0 };
    orders.showTrade(accountIndex, {
      row: { ...row, isMaker: false, fee: tradeId, feeInBase: tradeId % 5 === 0 },
      tag: (tradeId + 1) % 2,
      storeOffset: -1,
    });
  };
  const expected = (accountIndex: number, instrument: Instrument | null, limit: number, fromId: number | null): string =>
    encodeAnswer(spotFillsAnswer, listing(orders.trades(accountIndex, instrument, limit, fromId).map(spotFillRecord)), variants);
  return { add, expected, lists, reads };
}

it('every list of trades equals the encoding of all its trades, in each form of a list', () => {
  for (const form of ['bare', 'list'] as const) {
    const { add, expected, lists } = openLists({ ...PROFILES.seed, lists: form });
    for (let round = 0; round < 60; round++) {
      const pages = [
        { limit: 3, fromId: null },
        { limit: 100, fromId: null },
        { limit: 4, fromId: 7 },
        { limit: 100, fromId: round },
      ];
      const queries = [0, 1].flatMap((account) =>
        [null, ...INSTRUMENTS].flatMap((instrument) => pages.map((page) => ({ account, instrument, ...page }))),
      );
      for (const query of queries) {
        expect(lists.bodyOf(query)).toBe(expected(query.account, query.instrument, query.limit, query.fromId));
      }
      add(round % 3 === 0 ? 1 : 0);
    }
  }
});

it('a trade that several lists show is encoded once', () => {
  const { add, expected, lists, reads } = openLists();
  const query = { account: 0, instrument: null, limit: 1000, fromId: null };
  for (let trade = 0; trade < 600; trade++) {
    add(0);
    lists.bodyOf(query);
    lists.bodyOf({ ...query, limit: 900 });
  }
  expect(reads.trades).toBe(600);
  expect(lists.bodyOf(query)).toBe(expected(0, null, 1000, null));
});

it('an unchanged list is built again only after requests for 128 other lists', () => {
  const { add, lists, reads } = openLists();
  for (let trade = 0; trade < 20; trade++) add(0);
  const listOf = (limit: number): string => lists.bodyOf({ account: 0, instrument: null, limit, fromId: null });
  const firstBody = listOf(20);
  const readsBefore = reads.indexLists;
  expect(listOf(20)).toBe(firstBody);
  expect(reads.indexLists).toBe(readsBefore);
  const otherLists = 128;
  for (let limit = 21; limit < 21 + otherLists; limit++) listOf(limit);
  expect(listOf(20)).toBe(firstBody);
  // Each other list is built once, and the first one is built once more.
  expect(reads.indexLists).toBe(readsBefore + otherLists + 1);
});

it('the rows of more than 16,384 trades are encoded again for the next list', () => {
  const { add, expected, lists, reads } = openLists();
  const query = { account: 0, instrument: null, limit: 17_000, fromId: null };
  for (let trade = 0; trade < 17_000; trade++) add(0);
  const firstBody = lists.bodyOf(query);
  expect(firstBody).toBe(expected(0, null, 17_000, null));
  expect(lists.bodyOf(query)).toBe(firstBody);
  expect(reads.trades).toBeGreaterThan(17_000);
});
