// Tests that the totals in the journal and the newest trade beside them say the same at every moment, so that a restart counts each trade once.

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

/** Opens the reader and the totals of one process. `cursors`: of the process before. */
function openProcess(instrument: Instrument, cursors: ReadonlyMap<string, string> | null) {
  let list: { readonly rows: readonly TradeRow[]; readonly isCut: boolean } = { rows: [], isCut: false };
  const [holdings, positions] = [new HoldingBook(), new PositionBook(1, () => false)];
  const venue = {
    trades: () => immediate({ ...list, isReadable: true, isComplete: true }),
    // The reply about an order does not come.
    order: () => pending<null>(() => () => {}),
    history: () => pending<null>(() => () => {}),
  };
  const attribution = { isExcluded: () => false, closes: () => null };
  const deps = { instrument, index: 0, venue, trackedOrders: new TrackedOrders(1, 5000), attribution, holdings, positions, isTwoWay: false };
  const clock = { venueMs: () => 2_000_000, nowMs: () => 2_000_000, lagMs: () => 3000 };
  const raisedCauses = { raise: () => {}, resolve: () => {} };
  const reader = new TradeReader({ ...deps, ...clock, raisedCauses } as never, 0);
  const written = new Map<string, string>();
  const noted = new NotedTotals({
    notes: { cursor: ({ symbol, channel, value }: Record<string, string>) => void written.set(`${symbol} ${channel}`, value!) } as never,
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
    written,
    /** Reads this list. The orders of its trades are asked for, and nothing is booked. */
    read(ids: readonly number[], isCut = false) {
      list = { rows: ids.map(trade).toReversed(), isCut };
      start(reader.read(-Infinity, { priority: 'steady' } as never));
    },
    held: () => (instrument.contract === undefined ? new Map(holdings.entries()).get('BTC') : positions.netLotsOf(0)?.toFixed()),
  };
}

it.each([BTC, PERPETUAL])('$id: totals noted while a trade is counted and not booked are right after a crash', (instrument) => {
  const before = openProcess(instrument, null);
  before.read([7]);
  before.noted.journalTotals();
  const after = openProcess(instrument, before.written);
  after.read([7, 8]);
  expect(after.held()).toBe('2');
});

it.each([BTC, PERPETUAL])('$id: totals are not noted while they lack a trade that is older than a counted one', (instrument) => {
  const before = openProcess(instrument, null);
  before.read([7]);
  before.noted.journalTotals();
  const { size } = before.written;
  const second = openProcess(instrument, before.written);
  second.read([9], true);
  second.noted.journalTotals();
  expect(second.written.get(`${instrument.id} counted`)).toBeUndefined();
  expect(size).toBeGreaterThan(0);
});
