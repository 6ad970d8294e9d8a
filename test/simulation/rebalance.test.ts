// Tests the buys of a rebalance over restarts and kills: they wait until its sales have ended, and never cancel them.

import { describe, expect, it } from 'vitest';
import type { Lots, Ticks } from '../../src/base/brand.ts';
import type { OrderId, VenueOrderId } from '../../src/model/order.ts';
import { REBALANCE } from '../../src/orders/drafts.ts';
import { applyInbox } from '../../src/engine/loop/liveSteps.ts';
import { followUnknown } from '../../src/engine/router/restore.ts';
import { HaltActions } from '../../src/engine/router/haltActions.ts';
import { fillOf } from '../fixtures/fills.ts';
import { recordsOf } from '../fixtures/journalFixture.ts';
import { NOW_MS, openBot, type RestartBot } from '../fixtures/restartFixture.ts';
import { SimulatedDisk } from '../fixtures/simulatedDisk.ts';

const AHEAD = 1 as OrderId;
const NEXT = 2 as OrderId;
const ACCOUNT = { kind: 'account' } as const;
const TARGET_LOTS = 300;

function open(disk: SimulatedDisk, nowMs = NOW_MS): RestartBot {
  const bot = openBot(disk, nowMs);
  bot.engine.haltActions = new HaltActions(bot.engine);
  return bot;
}
/** Returns a bot with a working order, and a buy of a rebalance that waits for its end. */
function waiting(isAcked = true): RestartBot {
  const bot = open(new SimulatedDisk());
  const { engine } = bot;
  const ahead = engine.newOrder(0, engine.execution[0]!, 'buy');
  Object.assign(ahead, { slot: 'target', role: 'limit', lots: 100 as Lots, limit: 9900 as Ticks });
  engine.submit(ahead);
  if (isAcked) engine.acked(AHEAD, 'v1' as VenueOrderId, NOW_MS);
  const order = engine.newOrder(0, engine.execution[0]!, 'buy');
  Object.assign(order, { slot: REBALANCE, lots: TARGET_LOTS as Lots });
  engine.drafts.reverse(order, [AHEAD], TARGET_LOTS);
  bot.disk.run();
  return bot;
}
function restarted(bot: RestartBot): RestartBot {
  bot.disk.run();
  return open(bot.disk.afterKill('', 0), NOW_MS + 1);
}
function start({ engine }: RestartBot, meanwhile: () => void = () => {}): void {
  const step = (act: () => void): void => applyInbox(engine, NOW_MS + 2, act);
  step(() => followUnknown(engine));
  step(() => engine.risk.halts.raise(ACCOUNT, 'HALT_NEW', 'STARTING', 'two clean audits are needed', NOW_MS + 2));
  step(meanwhile);
  step(() => engine.risk.halts.clear(ACCOUNT, 'STARTING', 'two audits were clean', NOW_MS + 2));
}
const fill = ({ engine }: RestartBot, lots: number, tradeId: number): void =>
  engine.filled(AHEAD, fillOf({ tradeId, price: 9900, lots, notional: lots * 9900 * 1000, timeMs: NOW_MS }));

describe('a buy of a rebalance that waits for another order', () => {
  it('is journalled, and sent by amount for the missing lots once that order has ended', () => {
    const bot = waiting();
    expect(recordsOf(bot.disk).at(-1)).toMatchObject({ k: 'DRAFT', order: NEXT, ahead: [AHEAD] });
    fill(bot, 100, 1);
    expect(bot.exchange.submitted).toEqual([AHEAD, NEXT]);
    // 200 lots at the last price of 100.00 are 20 of the quote asset.
    expect(bot.engine.orders.get(NEXT)).toMatchObject({ quoteUnits: 2_000_000_000, lots: 0, limit: 0 });
  });
  it('survives a restart, which cancels nothing, and is sized by the fills before and after it', () => {
    const first = waiting();
    fill(first, 30, 1);
    const second = restarted(first);
    start(second);
    expect(second.exchange.cancelled).toEqual([]);
    expect(second.exchange.submitted).toEqual([]);
    fill(second, 70, 2);
    expect(second.exchange.submitted).toEqual([NEXT]);
    expect(second.engine.orders.get(NEXT)).toMatchObject({ quoteUnits: 2_000_000_000, lifecycle: 'sent' });
    expect(second.exchange.cancelled).toEqual([]);
  });
  it('keeps waiting while the outcome of that order is unknown, and does not cancel it', () => {
    const first = waiting(false);
    first.engine.outcomeUnknown(AHEAD);
    const second = restarted(first);
    start(second);
    second.engine.outcomes.resolve(AHEAD, 'v1' as VenueOrderId);
    expect(second.exchange.cancelled).toEqual([]);
    expect(second.engine.orders.drafts.orders.map(({ id }) => id)).toEqual([NEXT]);
    second.engine.ended(AHEAD, 'canceled', NOW_MS);
    expect(second.exchange.submitted).toEqual([NEXT]);
    expect(second.engine.orders.get(NEXT)).toMatchObject({ quoteUnits: 3_000_000_000 });
  });
  it('waits until the start of the bot is complete', () => {
    const second = restarted(waiting());
    start(second, () => {
      second.engine.ended(AHEAD, 'canceled', NOW_MS);
      expect(second.exchange.submitted).toEqual([]);
    });
    expect(second.exchange.submitted).toEqual([NEXT]);
  });
  it('is denied by a kill, also after the next start', () => {
    const bot = waiting();
    applyInbox(bot.engine, NOW_MS, () => bot.engine.risk.halts.raise(ACCOUNT, 'KILLED', 'KILLED', 'by a test', NOW_MS));
    bot.engine.ended(AHEAD, 'canceled', NOW_MS);
    expect(bot.exchange.submitted).toEqual([AHEAD]);
    expect(restarted(bot).engine.orders.drafts.waiting).toEqual([]);
  });
});
