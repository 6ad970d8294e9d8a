// Tests that the journalled totals always match the newest counted trade beside them, so that a restart counts each trade once.

import { Decimal } from 'decimal.js';
import { expect, it } from 'vitest';
import { spotInstrument } from '../../../../test/fixtures/drafts.ts';
import { immediate, pending, start } from '../../../base/task.ts';
import { PERPETUAL } from '../../../../test/service/futuresFixture.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { TradeRow } from '../calls/venueRows.ts';
import { TrackedOrders } from '../order/trackedOrder.ts';
import { HoldingBook, PositionBook } from '../order/expectedHoldings.ts';
import { TradeReader } from '../observe/tradeReader.ts';
import { NotedTotals } from './notedTotals.ts';

const BTC = spotInstrument();
const trade = (id: number): TradeRow => ({
  tradeId: String(id),
  venueId: `order ${id}`,
  otherId: null,
  side: 'buy',
  price: '100',
  qty: '1',
  fee: '0',
  feeCoin: 'USDT',
  isMaker: true,
  timeMs: 1_000_000 + id,
});

/** Opens the reader and the totals of one process. `cursors`: what the earlier process journalled, or null without one. */
function openProcess(instrument: Instrument, cursors: ReadonlyMap<string, string> | null) {
  let tradePage: { readonly rows: readonly TradeRow[]; readonly isCut: boolean } = { rows: [], isCut: false };
  const [holdings, positions] = [new HoldingBook(), new PositionBook(1, () => false)];
  const venue = {
    trades: () => immediate({ ...tradePage, isReadable: true, isComplete: true }),
    // The reply about an order does not come.
    order: () => pending<null>(() => () => {}),
    history: () => pending<null>(() => () => {}),
  };
  const attribution = { isExcluded: () => false, closes: () => null };
  const deps = {
    instrument,
    index: 0,
    venue,
    trackedOrders: new TrackedOrders(1, 5000),
    attribution,
    holdings,
    positions,
    isTwoWay: false,
  };
  const clock = { venueMs: () => 2_000_000, nowMs: () => 2_000_000, lagMs: () => 3000 };
  const raisedCauses = { raise: () => {}, clearIfAllowed: () => {} };
  const reader = new TradeReader({ ...deps, ...clock, raisedCauses } as never, 0);
  const journalled = new Map<string, string>();
  const noted = new NotedTotals({
    notes: { cursor: ({ symbol, channel, value }: Record<string, string>) => void journalled.set(`${symbol} ${channel}`, value!) } as never,
    instruments: [instrument],
    ownInstruments: [0],
    holdings,
    positions,
    countedUpTo: () => reader.bookedIds.countedUpToId,
    hasCountedAll: () => reader.hasCountedAll,
  });
  if (instrument.contract === undefined) holdings.set([{ asset: 'BTC', total: cursors?.get('BTC total') ?? '0' }]);
  else positions.restore(0, new Decimal(cursors?.get(`${instrument.id} position`) ?? 0), null);
  const counted = cursors?.get(`${instrument.id} counted`);
  if (counted !== undefined) reader.bookedIds.noteTotalsUpTo(counted);
  return {
    noted,
    journalled,
    /** Reads trades with these ids. Their orders are requested, but no reply comes, so nothing is booked. */
    read(ids: readonly number[], { isCut } = { isCut: false }) {
      tradePage = { rows: ids.map(trade).toReversed(), isCut };
      start(reader.read(-Infinity, { priority: 'steady' } as never));
    },
    heldTotal: () => (instrument.contract === undefined ? new Map(holdings.entries()).get('BTC') : positions.netLotsOf(0)?.toFixed()),
  };
}

it.each([BTC, PERPETUAL])('$id: totals journalled while a trade is counted but not booked are correct after a crash', (instrument) => {
  const before = openProcess(instrument, null);
  before.read([7]);
  before.noted.journalTotals();
  const after = openProcess(instrument, before.journalled);
  after.read([7, 8]);
  expect(after.heldTotal()).toBe('2');
});

it.each([BTC, PERPETUAL])('$id: totals are not journalled while they lack a trade that is older than a counted one', (instrument) => {
  const before = openProcess(instrument, null);
  before.read([7]);
  before.noted.journalTotals();
  const firstCursorCount = before.journalled.size;
  const second = openProcess(instrument, before.journalled);
  second.read([9], { isCut: true });
  second.noted.journalTotals();
  expect(second.journalled.get(`${instrument.id} counted`)).toBeUndefined();
  expect(firstCursorCount).toBeGreaterThan(0);
});
