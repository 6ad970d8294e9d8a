// Tests that each guard of src/orders/prove/guards.ts is needed: its scenario passes with it and fails without it (order-safety,
// section 16).

import { afterEach, describe, expect, it, vi } from 'vitest';
import { ReplayJournal } from '../../src/adapters/replay/replayJournal.ts';
import { lots, ticks } from '../../src/base/brand.ts';
import { Scratch } from '../../src/base/memory/rowLog.ts';
import type { OrderId, VenueOrderId } from '../../src/model/order.ts';
import type { AbsenceBounds } from '../../src/orders/prove/absenceBounds.ts';
import { guards } from '../../src/orders/prove/guards.ts';
import { Reservations } from '../../src/orders/reserve/reservation.ts';
import { SpotLedger } from '../../src/portfolio/spotLedger.ts';
import { RiskModule } from '../../src/risk/riskModule.ts';
import { spotInstrument } from '../fixtures/drafts.ts';
import { BOUNDS, hasEffect, play, WELL, type Outcome, type Read } from '../fixtures/outcomes.ts';
import { fillOf } from '../fixtures/fills.ts';
import { SilentExchange } from '../fixtures/restartFixture.ts';

type Guard = keyof typeof guards;

/** Returns the modules of the room with one guard switched off; null: with all guards. */
async function roomWithout(without: Guard | null) {
  vi.resetModules();
  if (without !== null) vi.doMock('../../src/orders/prove/guards.ts', () => ({ guards: { ...guards, [without]: false } }));
  // Import one after the other: an import that begins while another one registers the mock would load the original module.
  const { Resolution } = await import('../../src/orders/prove/resolver.ts');
  const { MeasuredAbsenceBounds } = await import('../../src/orders/prove/absenceBounds.ts');
  const { OrderManager } = await import('../../src/orders/orderManager.ts');
  return { Resolution, MeasuredAbsenceBounds, OrderManager };
}
type Room = Awaited<ReturnType<typeof roomWithout>>;

afterEach(() => {
  vi.doUnmock('../../src/orders/prove/guards.ts');
  vi.resetModules();
});

const always = (read: Partial<Read>, first: Partial<Read> = {}): Read[] =>
  Array.from({ length: 60 }, (_, at) => ({ ...WELL, ...read, ...(at === 0 ? first : {}) }));
const bounds = { ...BOUNDS, visibilityDelayMs: 10_000 };
const outcomeOf = (changes: Partial<Outcome>): Outcome => ({ admittedMs: 0, hiddenMs: 0, fillMs: null, endMs: 0, ...changes });

/** False when an order that had an effect was proven absent. */
function isRight({ Resolution }: Room, outcome: Outcome, reads: readonly Read[], by: AbsenceBounds = bounds): boolean {
  const end = play(new Resolution('spot', 0), outcome, reads, by);
  return end?.found.kind !== 'noEffect' || !hasEffect(outcome, end.atMs);
}

function fixture({ OrderManager, MeasuredAbsenceBounds }: Room) {
  const instrument = spotInstrument();
  const ledger = new SpotLedger([instrument], 1);
  ledger.deposit(0, 'USDT', 1e15);
  const reservations = new Reservations([instrument], 1, { collarPpm: 10_000, takerFeePpm: [1000], feesIn: 'received' });
  const exchange = new SilentExchange();
  const orders = new OrderManager(exchange, new ReplayJournal(), reservations, new MeasuredAbsenceBounds(), new Scratch());
  const risk = new RiskModule({ ledger, reservations, limits: { maxPositionQty: '0.15' } });
  /** Sends an order. Returns its deny code, or null when it was sent. */
  const send = (): string | null => {
    const order = orders.draft(0, instrument, 0, 'buy', 1000);
    order.lots = lots(100 - order.id);
    order.limit = ticks(10_000);
    order.role = 'limit';
    order.slot = `slot ${order.id}`;
    const approved = risk.check(order, 1000, 10_000);
    if (approved === null) return risk.code;
    orders.submit(approved);
    return null;
  };
  const lose = () => {
    const order = orders.active()[0]!;
    orders.outcomeUnknown(order, 1000);
    orders.noEffect(order, 1000);
  };
  return { orders, reservations, send, lose };
}

/** By guard, a scenario that returns true only with the guard. */
const SCENARIOS: Readonly<Record<Guard, (room: Room) => boolean>> = {
  // Admitted late and hidden: every list is empty until long after the reply was lost.
  absenceHorizon: (room) => isRight(room, outcomeOf({ admittedMs: 5000, hiddenMs: 9000, fillMs: 0 }), always({})),
  // It fills just before open orders are read, and the trades are as old as a list may be.
  readLag: (room) => isRight(room, outcomeOf({ fillMs: 16_900 }), always({ olderTradesMs: 2000 }, { delayMs: 17_000 })),
  // One list of trades is twice as old as a list may be.
  twoRounds: (room) =>
    isRight(
      room,
      outcomeOf({ fillMs: 16_900 }),
      always({}, { delayMs: 17_000 }).map((read, at) => (at === 1 ? { ...read, olderTradesMs: 4000 } : read)),
    ),
  // The list of trades lacks a row, and only the balance shows the fill.
  holdingsAgree: (room) => isRight(room, outcomeOf({ fillMs: 0 }), always({ olderTradesMs: 1e6, differs: true }, { delayMs: 17_000 })),
  unattributedBlocks: ({ Resolution }) => {
    const resolution = new Resolution('spot', 0);
    const rounds = [17_000, 22_000].flatMap(
      (ms) =>
        [
          ['openOrders', ms],
          ['myTrades', ms + 2000],
          ['balances', ms + 2000],
        ] as const,
    );
    return rounds.every(
      ([channel, venueMs]) => resolution.applyEvidence({ channel, venueMs, complete: true, found: false }, bounds, true).kind === 'read',
    );
  },
  // Reads fail for longer than the escalation time.
  onlyEvidence: (room) => isRight(room, outcomeOf({ fillMs: 0 }), always({ isComplete: false }, { delayMs: 700_000 })),
  // After -1007 the order appears five minutes later.
  incidentsWiden: (room) => {
    const live = new room.MeasuredAbsenceBounds();
    live.onIncident(1000);
    return isRight(
      room,
      outcomeOf({ admittedMs: 5000, hiddenMs: 300_000, fillMs: 0 }),
      always({ delayMs: 1000 }, { delayMs: 70_000 }),
      live,
    );
  },
  // It arrives after another order was sent: the limit is 150 lots, and 99 + 98 exceed it.
  absentReserve: (room) => {
    const { send, lose } = fixture(room);
    send();
    lose();
    return send() === 'POSITION_MAX';
  },
  absentMemory: (room) => {
    const { orders, send, lose } = fixture(room);
    send();
    lose();
    const order = orders.get(1 as OrderId);
    return order !== undefined && orders.arrivedLate(order, 'v1' as VenueOrderId, 2000);
  },
  earlyFills: (room) => {
    const { orders, send } = fixture(room);
    send();
    const order = orders.active()[0]!;
    orders.filled(order, fillOf({ tradeId: 1, price: 10_000, lots: 40, notional: 4e8, timeMs: 1000 }));
    orders.acked(order, 'v1' as VenueOrderId, 1000);
    return order.filledLots === 40;
  },
};

describe('a guard of orders', () => {
  it('has a scenario', async () => {
    const all = await roomWithout(null);
    expect(Object.entries(SCENARIOS).filter(([, scenario]) => !scenario(all))).toEqual([]);
    expect(Object.keys(SCENARIOS).toSorted()).toEqual(Object.keys(guards).toSorted());
  });
  it.each(Object.keys(guards) as Guard[])('%s: without it the scenario fails', async (guard) => {
    expect(SCENARIOS[guard](await roomWithout(guard))).toBe(false);
  });
});
