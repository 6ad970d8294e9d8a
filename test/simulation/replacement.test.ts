// Tests a replacement that waits for the old order, over restarts, kills and lost replies: it is never sent early.

import { describe, expect, it } from 'vitest';
import type { Lots, Ticks } from '../../src/base/brand.ts';
import type { OrderId, VenueOrderId } from '../../src/model/order.ts';
import { applyInbox } from '../../src/engine/loop/liveSteps.ts';
import { followUnknown } from '../../src/engine/router/restore.ts';
import { HaltActions } from '../../src/engine/router/haltActions.ts';
import { fillOf } from '../fixtures/fills.ts';
import { recordsOf } from '../fixtures/journalFixture.ts';
import { NOW_MS, openBot, type RestartBot } from '../fixtures/restartFixture.ts';
import { SimulatedDisk } from '../fixtures/simulatedDisk.ts';

const OLD = 1 as OrderId;
const NEXT = 2 as OrderId;
const ACCOUNT = { kind: 'account' } as const;

function send({ engine }: RestartBot, limit: number, lots = 100): void {
  const order = engine.newOrder(0, engine.execution[0]!, 'buy');
  Object.assign(order, { slot: 'rung', role: 'limit', lots: lots as Lots, limit: limit as Ticks });
  engine.submit(order);
}
function open(disk: SimulatedDisk, nowMs = NOW_MS): RestartBot {
  const bot = openBot(disk, nowMs);
  bot.engine.haltActions = new HaltActions(bot.engine);
  return bot;
}
/** Returns a bot with an order at 99 under cancel, and the draft at 98 that replaces it. */
function waiting(isAcked = true): RestartBot {
  const bot = open(new SimulatedDisk());
  send(bot, 9900);
  if (isAcked) bot.engine.acked(OLD, 'v1' as VenueOrderId, NOW_MS);
  bot.engine.orders.cancel(bot.engine.orders.get(OLD)!, NOW_MS);
  send(bot, 9800);
  bot.disk.run();
  return bot;
}
function restarted(bot: RestartBot): RestartBot {
  bot.disk.run();
  return open(bot.disk.afterKill('', 0), NOW_MS + 1);
}
/** Starts the bot as in live: halted, following unknown orders, and running once its audits were clean. */
function start({ engine }: RestartBot, meanwhile: () => void = () => {}): void {
  const step = (act: () => void): void => applyInbox(engine, NOW_MS + 2, act);
  step(() => followUnknown(engine));
  step(() => engine.risk.halts.raise(ACCOUNT, 'HALT_NEW', 'STARTING', 'two clean audits are needed', NOW_MS + 2));
  step(meanwhile);
  step(() => engine.risk.halts.clear(ACCOUNT, 'STARTING', 'two audits were clean', NOW_MS + 2));
}
const fill = ({ engine }: RestartBot, lots: number, tradeId: number): void =>
  engine.filled(OLD, fillOf({ tradeId, price: 9900, lots, notional: lots * 9900 * 1000, timeMs: NOW_MS }));
const canceled = ({ engine }: RestartBot): void => engine.ended(OLD, 'canceled', NOW_MS);
const verdicts = (bot: RestartBot): (string | null)[] => {
  bot.disk.run();
  return recordsOf(bot.disk).flatMap((record) => (record.k === 'VERDICT' && record.order === NEXT ? [record.code] : []));
};

describe('a replacement of a live bot', () => {
  it('is journalled first, and sent when the old order has ended', () => {
    const bot = waiting();
    expect(recordsOf(bot.disk).at(-1)).toMatchObject({ k: 'DRAFT', order: NEXT, ahead: [OLD], qty: '0.1', price: '98' });
    expect(bot.exchange.submitted).toEqual([OLD]);
    canceled(bot);
    expect(bot.exchange.submitted).toEqual([OLD, NEXT]);
    expect(verdicts(bot)).toEqual([null]);
  });

  it('survives a restart, and is sized by the fills of the old order before and after it', () => {
    const first = waiting();
    fill(first, 30, 1);
    const second = restarted(first);
    start(second);
    expect(second.exchange.submitted).toEqual([]);
    fill(second, 20, 2);
    canceled(second);
    expect(second.exchange.submitted).toEqual([NEXT]);
    expect(second.engine.orders.get(NEXT)).toMatchObject({ lots: 50, limit: 9800, lifecycle: 'sent' });
  });

  it('waits until the start of the bot is complete, also when the old order has ended before', () => {
    const second = restarted(waiting());
    start(second, () => {
      canceled(second);
      expect(second.exchange.submitted).toEqual([]);
    });
    expect(second.exchange.submitted).toEqual([NEXT]);
  });

  it('whose old order had ended when the bot was killed is sent after the next start', () => {
    const bot = waiting();
    // The process was killed between the end of the old order and the verdict on the new one.
    bot.engine.orders.ended(bot.engine.orders.get(OLD)!, 'canceled', NOW_MS);
    const second = restarted(bot);
    start(second);
    expect(second.exchange.submitted).toEqual([NEXT]);
  });

  it('is denied with REPLACED_FILLED when the old order has filled', () => {
    const bot = waiting();
    fill(bot, 100, 1);
    expect(bot.exchange.submitted).toEqual([OLD]);
    expect(verdicts(bot)).toEqual(['REPLACED_FILLED']);
    expect(restarted(bot).engine.orders.drafts.waiting).toEqual([]);
  });

  it('is denied by a kill, also after the next start', () => {
    const bot = waiting();
    applyInbox(bot.engine, NOW_MS, () => bot.engine.risk.halts.raise(ACCOUNT, 'KILLED', 'KILLED', 'by a test', NOW_MS));
    expect(verdicts(bot)).toEqual(['KILLED']);
    canceled(bot);
    expect(bot.exchange.submitted).toEqual([OLD]);
    expect(restarted(bot).engine.orders.drafts.waiting).toEqual([]);
  });

  it('keeps waiting while the outcome of the old order is unknown, also over a restart', () => {
    const first = waiting(false);
    first.engine.outcomeUnknown(OLD);
    const second = restarted(first);
    start(second);
    expect(second.engine.orders.drafts.orders.map(({ id }) => id)).toEqual([NEXT]);
    // A list shows the old order: its requested cancel is sent, and the replacement waits for its end.
    second.engine.outcomes.resolve(OLD, 'v1' as VenueOrderId);
    expect(second.exchange.cancelled).toEqual([OLD]);
    expect(second.exchange.submitted).toEqual([]);
    canceled(second);
    expect(second.exchange.submitted).toEqual([NEXT]);
  });

  it('is not sent by a bot that is stopping', () => {
    const bot = waiting();
    bot.engine.drafts.hold();
    canceled(bot);
    expect(bot.exchange.submitted).toEqual([OLD]);
    expect(restarted(bot).engine.orders.drafts.orders.map(({ id }) => id)).toEqual([NEXT]);
  });
});
