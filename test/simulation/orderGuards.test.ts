// Tests that each guard of src/orders/prove/guards.ts is needed: its scenario passes with it and fails without it
// (docs/order-safety.md#each-guard-is-needed).

import { afterEach, describe, expect, it, vi } from 'vitest';
import { ReplayJournal } from '../../src/adapters/replay/replayJournal.ts';
import { lots, ticks } from '../../src/base/brand.ts';
import { Scratch } from '../../src/base/memory/rowLog.ts';
import type { OrderId, VenueOrderId } from '../../src/model/order.ts';
import type { AbsenceBounds } from '../../src/orders/prove/absenceBounds.ts';
import { proofGuards } from '../../src/orders/prove/guards.ts';
import { Reservations } from '../../src/orders/reserve/reservation.ts';
import { SpotLedger } from '../../src/portfolio/spotLedger.ts';
import { RiskModule } from '../../src/risk/riskModule.ts';
import { spotInstrument } from '../fixtures/drafts.ts';
import { BOUNDS, hasEffect, simulate, PROMPT_READ, type TrueOutcome, type Read } from '../fixtures/outcomes.ts';
import { fillOf } from '../fixtures/fills.ts';
import { SilentExchange } from '../fixtures/restartFixture.ts';

type Guard = keyof typeof proofGuards;

/** Returns the modules of src/orders with the guard `removed` switched off, or with all guards if it is null. */
async function modulesWithout(removed: Guard | null) {
  vi.resetModules();
  if (removed !== null) vi.doMock('../../src/orders/prove/guards.ts', () => ({ proofGuards: { ...proofGuards, [removed]: false } }));
  // Import one after the other: an import that begins while another one registers the mock would load the original module.
  const { Resolution } = await import('../../src/orders/prove/resolver.ts');
  const { MeasuredAbsenceBounds } = await import('../../src/orders/prove/absenceBounds.ts');
  const { OrderManager } = await import('../../src/orders/orderManager.ts');
  return { Resolution, MeasuredAbsenceBounds, OrderManager };
}
type OrderModules = Awaited<ReturnType<typeof modulesWithout>>;

afterEach(() => {
  vi.doUnmock('../../src/orders/prove/guards.ts');
  vi.resetModules();
});

/** Returns 60 equal reads of the exchange. `first` changes the first of them. */
const equalReads = (read: Partial<Read>, first: Partial<Read> = {}): Read[] =>
  Array.from({ length: 60 }, (_, index) => ({ ...PROMPT_READ, ...read, ...(index === 0 ? first : {}) }));
/** The bounds with which the resolver works: a visibility delay of 10 s. */
const bounds = { ...BOUNDS, visibilityDelayMs: 10_000 };
/** Returns the true outcome of an order: admitted at once, visible, not filled, ended at once, except for `changes`. */
const outcomeOf = (changes: Partial<TrueOutcome>): TrueOutcome => ({ admittedMs: 0, hiddenMs: 0, fillMs: null, endMs: 0, ...changes });

/** Returns false when the resolver proves an order absent that had an effect. */
function isConclusionTrue(
  { Resolution }: OrderModules,
  outcome: TrueOutcome,
  reads: readonly Read[],
  absenceBounds: AbsenceBounds = bounds,
): boolean {
  const end = simulate(new Resolution('spot', 0), outcome, reads, absenceBounds);
  return end?.found.kind !== 'noEffect' || !hasEffect(outcome, end.atMs);
}

/** Returns an order manager with reservations and risk at an exchange that never replies, and functions that send and lose an order. */
function openOrders({ OrderManager, MeasuredAbsenceBounds }: OrderModules) {
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
  /** Loses the reply of the first open order and declares the order proven absent. */
  const proveAbsent = () => {
    const order = orders.active()[0]!;
    orders.outcomeUnknown(order, 1000);
    orders.noEffect(order, 1000);
  };
  return { orders, reservations, send, proveAbsent };
}

/** By guard, a scenario that returns true only with the guard. */
const SCENARIOS: Readonly<Record<Guard, (modules: OrderModules) => boolean>> = {
  // The order is admitted late and hidden: every list is empty until long after the reply was lost.
  absenceHorizon: (modules) => isConclusionTrue(modules, outcomeOf({ admittedMs: 5000, hiddenMs: 9000, fillMs: 0 }), equalReads({})),
  // The order fills just before open orders are read, and the list of trades is as old as a list may be.
  readLag: (modules) => isConclusionTrue(modules, outcomeOf({ fillMs: 16_900 }), equalReads({ olderTradesMs: 2000 }, { delayMs: 17_000 })),
  // One list of trades is twice as old as a list may be.
  twoRounds: (modules) =>
    isConclusionTrue(
      modules,
      outcomeOf({ fillMs: 16_900 }),
      equalReads({}, { delayMs: 17_000 }).map((read, index) => (index === 1 ? { ...read, olderTradesMs: 4000 } : read)),
    ),
  // The list of trades lacks a row, and only the balance shows the fill.
  holdingsAgree: (modules) =>
    isConclusionTrue(modules, outcomeOf({ fillMs: 0 }), equalReads({ olderTradesMs: 1e6, differs: true }, { delayMs: 17_000 })),
  // A fill that belongs to no known order is waiting, so empty lists prove nothing.
  unattributedBlocks: ({ Resolution }) => {
    const resolution = new Resolution('spot', 0);
    const readsOfRound = (startMs: number) =>
      [
        ['openOrders', startMs],
        ['myTrades', startMs + 2000],
        ['balances', startMs + 2000],
      ] as const;
    return [...readsOfRound(17_000), ...readsOfRound(22_000)].every(
      ([channel, venueMs]) => resolution.applyEvidence({ channel, venueMs, complete: true, found: false }, bounds, true).kind === 'read',
    );
  },
  // Reads fail for longer than the escalation time.
  onlyEvidence: (modules) => isConclusionTrue(modules, outcomeOf({ fillMs: 0 }), equalReads({ isComplete: false }, { delayMs: 700_000 })),
  // After -1007 the order appears five minutes later.
  incidentsWiden: (modules) => {
    const measuredBounds = new modules.MeasuredAbsenceBounds();
    measuredBounds.onIncident(1000);
    return isConclusionTrue(
      modules,
      outcomeOf({ admittedMs: 5000, hiddenMs: 300_000, fillMs: 0 }),
      equalReads({ delayMs: 1000 }, { delayMs: 70_000 }),
      measuredBounds,
    );
  },
  // The limit is 150 lots. An order proven absent could still arrive, and its 99 lots with 98 of the next order exceed the limit.
  absentReserve: (modules) => {
    const { send, proveAbsent } = openOrders(modules);
    send();
    proveAbsent();
    const denyCode = send();
    return denyCode === 'POSITION_MAX';
  },
  // An order proven absent arrives after all, and the bot still knows it.
  absentMemory: (modules) => {
    const { orders, send, proveAbsent } = openOrders(modules);
    send();
    proveAbsent();
    const order = orders.get(1 as OrderId);
    return order !== undefined && orders.arrivedLate(order, 'v1' as VenueOrderId, 2000);
  },
  // A fill arrives before the acknowledgement of its order.
  earlyFills: (modules) => {
    const { orders, send } = openOrders(modules);
    send();
    const order = orders.active()[0]!;
    orders.filled(order, fillOf({ tradeId: 1, price: 10_000, lots: 40, notional: 4e8, timeMs: 1000 }));
    orders.acked(order, 'v1' as VenueOrderId, 1000);
    return order.filledLots === 40;
  },
};

describe('a guard of orders', () => {
  it('each order guard has a scenario that passes with all guards', async () => {
    const withAllGuards = await modulesWithout(null);
    expect(Object.entries(SCENARIOS).filter(([, scenario]) => !scenario(withAllGuards))).toEqual([]);
    expect(Object.keys(SCENARIOS).toSorted()).toEqual(Object.keys(proofGuards).toSorted());
  });
  it.each(Object.keys(proofGuards) as Guard[])('the scenario of the order guard %s fails without the guard', async (guard) => {
    expect(SCENARIOS[guard](await modulesWithout(guard))).toBe(false);
  });
});
