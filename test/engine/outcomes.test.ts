// Tests unknown outcomes and halt causes in the engine: reads at intervals, halts that are raised and cleared, and calls of the operator.

import { describe, expect, it } from 'vitest';
import type { Lots, Ticks } from '../../src/base/brand.ts';
import { applyInbox } from '../../src/engine/loop/liveSteps.ts';
import type { OrderId, VenueOrderId } from '../../src/model/order.ts';
import type { BotOrder } from '../../src/orders/botOrder.ts';
import { HALT_CAUSES } from '../../src/risk/live/haltCauses.ts';
import { fillOf } from '../fixtures/fills.ts';
import { openBot } from '../fixtures/restartFixture.ts';
import { SimulatedDisk } from '../fixtures/simulatedDisk.ts';

/** A time long after the signing times in the fixture's journal. */
const NOW_MS = Date.UTC(2026, 0, 5) + 60_000;

/**
 * Returns an engine with a visibility delay of 1 s, a read lag of 100 ms and a round of reads every 100 ms. Every read lies behind the
 * absence horizon.
 */
function openEngine() {
  const bot = openBot(new SimulatedDisk(), NOW_MS);
  const { engine, exchange } = bot;
  let nowMs = NOW_MS;
  const send = (): BotOrder => {
    const order = engine.newOrder(0, engine.execution[0]!, 'buy');
    Object.assign(order, { slot: `slot ${order.id}`, role: 'limit', lots: 100 as Lots, limit: 10_000 as Ticks });
    engine.submit(order);
    return order;
  };
  /** Replies to the latest read, with the current time of the venue. By default the list is complete and does not show the order. */
  const replyToRead = ({ found = false, complete = true } = {}) => {
    const [id, channel] = exchange.reads.at(-1)!;
    applyInbox(engine, nowMs, () => engine.evidence(id as OrderId, { channel, venueMs: nowMs, complete, found }));
  };
  const wait = (ms: number) => applyInbox(engine, (nowMs += ms), () => {});
  /** Returns code, scope and risk state of each halt. */
  const halts = () => engine.risk.halts.causes().map(({ code, scope, state }) => `${code} ${scope.kind} ${state}`);
  return { ...bot, send, replyToRead, wait, halts };
}

describe('an unknown outcome', () => {
  it('an unknown outcome is settled by rounds of reads, each at least the read lag after the one before', () => {
    const { engine, exchange, send, replyToRead, wait, halts } = openEngine();
    const order = send();
    engine.outcomeUnknown(order.id);
    expect([halts(), exchange.reads]).toEqual([['UNKNOWN_OUTCOME symbol HALT_NEW'], [[1, 'openOrders']]]);
    const readChannels = () => exchange.reads.map(([, channel]) => channel).slice(1);
    replyToRead();
    expect(readChannels()).toEqual([]);
    wait(99);
    expect(readChannels()).toEqual([]);
    wait(1);
    expect(readChannels()).toEqual(['myTrades']);
    replyToRead();
    expect(readChannels()).toEqual(['myTrades', 'balances']);
    replyToRead();
    wait(100);
    expect(readChannels().slice(2)).toEqual(['openOrders']);
    replyToRead();
    wait(100);
    replyToRead();
    replyToRead();
    expect(order).toMatchObject({ lifecycle: 'done', reason: 'noEffect' });
    expect([halts(), engine.orders.provenAbsent.size, engine.reservations.openOrdersTotal]).toEqual([[], 1, 1]);
    wait(30 * 60_000);
    expect([engine.orders.provenAbsent.size, engine.reservations.openOrdersTotal]).toEqual([1, 0]);
  });

  it('an unknown outcome calls the operator after the time limit, and is read until the operator decides', () => {
    const { engine, exchange, send, replyToRead, wait, halts } = openEngine();
    const order = send();
    engine.outcomeUnknown(order.id);
    wait(700_000);
    replyToRead({ complete: false });
    expect(halts()).toEqual(['UNKNOWN_OUTCOME symbol HALT_NEW', 'NEEDS_PERSON symbol HALT_NEW']);
    const before = exchange.reads.length;
    replyToRead({ complete: false });
    wait(100);
    expect(exchange.reads.length).toBeGreaterThan(before);
    expect(engine.outcomes.resolve(99 as OrderId, null)).toBe(false);
    expect(engine.outcomes.resolve(order.id, 'v1' as VenueOrderId)).toBe(true);
    expect([order.lifecycle, order.venueId, halts()]).toEqual(['working', 'v1', []]);
  });

  it('an unknown outcome is not decided while the symbol has an unattributed fill', () => {
    const { engine, send, replyToRead, wait } = openEngine();
    const order = send();
    engine.outcomeUnknown(order.id);
    engine.raiseHalt('STRAY', 0, 'a fill');
    for (let reads = 0; reads < 30; reads++) {
      replyToRead();
      wait(100);
    }
    expect(order.lifecycle).toBe('unknown');
    engine.clearHalt('STRAY', 0);
    for (let reads = 0; reads < 30 && order.lifecycle === 'unknown'; reads++) {
      replyToRead();
      wait(100);
    }
    expect(order.reason).toBe('noEffect');
  });

  it('an unknown outcome ends when a list shows the order, with the id in that list', () => {
    const { engine, send, halts } = openEngine();
    const order = send();
    engine.outcomeUnknown(order.id);
    engine.evidence(order.id, { channel: 'openOrders', venueMs: NOW_MS, complete: false, found: true, venueId: 'v7' as VenueOrderId });
    expect([order.lifecycle, order.venueId, halts()]).toEqual(['working', 'v7', []]);
  });
});

describe('a late arrival', () => {
  it('a late arrival is cancelled, and halts its symbol until the operator resumes', () => {
    const { engine, exchange, send, halts } = openEngine();
    const order = send();
    engine.outcomeUnknown(order.id);
    engine.outcomes.resolve(order.id, null);
    engine.arrivedLate(order.id, 'v1' as VenueOrderId, NOW_MS);
    expect([order.lifecycle, exchange.cancelled, halts()]).toEqual(['cancelSent', [1], ['LATE_LANDING symbol HALT_NEW']]);
    engine.clearHalt('LATE_LANDING', 0);
    expect(halts()).toHaveLength(1);
    expect(engine.risk.resume({ kind: 'symbol', instrument: 0 }, 'LATE_LANDING', 'me', NOW_MS)).toBe(true);
    expect(halts()).toEqual([]);
  });
  it('a late arrival that has filled is booked', () => {
    const { engine, send, halts } = openEngine();
    const order = send();
    engine.outcomeUnknown(order.id);
    engine.outcomes.resolve(order.id, null);
    engine.filled(order.id, fillOf({ tradeId: 1, price: 10_000, lots: 40, notional: 4e8, timeMs: NOW_MS }));
    expect([engine.ledger.lots(0, 0), halts()]).toEqual([40, ['LATE_LANDING symbol HALT_NEW']]);
  });
});

describe('halt causes', () => {
  it('a fill after the end of its order is booked and halts the account', () => {
    const { engine, send, halts } = openEngine();
    const order = send();
    engine.acked(order.id, 'v1' as VenueOrderId, NOW_MS);
    engine.ended(order.id, 'canceled', NOW_MS);
    engine.filled(order.id, fillOf({ tradeId: 1, price: 10_000, lots: 40, notional: 4e8, timeMs: NOW_MS }));
    expect([engine.ledger.lots(0, 0), order.lifecycle, halts()]).toEqual([40, 'done', ['POST_TRADE account HALT_NEW']]);
  });
  it('each halt code has its risk state, and clears when its cause ends unless it needs the operator', () => {
    for (const [code, { state, needsPerson }] of Object.entries(HALT_CAUSES)) {
      const { engine, halts } = openEngine();
      engine.raiseHalt(code, null, 'a test');
      expect(halts()).toEqual([`${code} account ${state}`]);
      engine.clearHalt(code, null);
      expect(halts()).toHaveLength(needsPerson ? 1 : 0);
    }
  });
  it('an unknown halt code halts until the operator resumes', () => {
    const { engine, halts } = openEngine();
    engine.raiseHalt('NEW_KIND', 0, 'a test');
    engine.clearHalt('NEW_KIND', 0);
    expect(halts()).toEqual(['NEW_KIND symbol HALT_NEW']);
  });
});
