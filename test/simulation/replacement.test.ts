// Tests a replacement that waits for the end of the old order. Restarts, kills and lost replies never make it leave early.

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

/** Ids that the bot gives its first two orders. */
const OLD_ORDER = 1 as OrderId;
const REPLACEMENT = 2 as OrderId;
const ACCOUNT = { kind: 'account' } as const;

/** Submits a limit buy in the slot of the replacement. */
function submitBuy({ engine }: RestartBot, limit: number, lots = 100): void {
  const order = engine.newOrder(0, engine.execution[0]!, 'buy');
  Object.assign(order, { slot: 'rung', role: 'limit', lots: lots as Lots, limit: limit as Ticks });
  engine.submit(order);
}
/** Opens a bot whose halts deny and cancel orders, as in a live bot. */
function openBotWithHalts(disk: SimulatedDisk, nowMs = NOW_MS): RestartBot {
  const bot = openBot(disk, nowMs);
  bot.engine.haltActions = new HaltActions(bot.engine);
  return bot;
}
/** Returns a bot with an order at 99 under cancel, and the draft at 98 that replaces it. */
function botWithWaitingReplacement({ isAcked } = { isAcked: true }): RestartBot {
  const bot = openBotWithHalts(new SimulatedDisk());
  submitBuy(bot, 9900);
  if (isAcked) bot.engine.acked(OLD_ORDER, 'v1' as VenueOrderId, NOW_MS);
  bot.engine.orders.cancel(bot.engine.orders.get(OLD_ORDER)!, NOW_MS);
  submitBuy(bot, 9800);
  bot.disk.run();
  return bot;
}
/** Kills the bot and opens it again on the same disk. */
function restart(bot: RestartBot): RestartBot {
  bot.disk.run();
  return openBotWithHalts(bot.disk.afterKill('', 0), NOW_MS + 1);
}
/** Starts the bot as in live. `duringStart` runs while the halt STARTING is in force. */
function start({ engine }: RestartBot, duringStart: () => void = () => {}): void {
  const step = (act: () => void): void => applyInbox(engine, NOW_MS + 2, act);
  step(() => followUnknown(engine));
  step(() => engine.risk.halts.raise(ACCOUNT, 'HALT_NEW', 'STARTING', 'two clean audits are needed', NOW_MS + 2));
  step(duringStart);
  step(() => engine.risk.halts.clear(ACCOUNT, 'STARTING', 'two audits were clean', NOW_MS + 2));
}
/** Fills lots of the old order at 99. */
const fill = ({ engine }: RestartBot, lots: number, tradeId: number): void =>
  engine.filled(OLD_ORDER, fillOf({ tradeId, price: 9900, lots, notional: lots * 9900 * 1000, timeMs: NOW_MS }));
/** Ends the old order as canceled. */
const endOldOrder = ({ engine }: RestartBot): void => engine.ended(OLD_ORDER, 'canceled', NOW_MS);
/** Returns the deny codes of all verdicts on the replacement. Null is an approval. */
const replacementVerdicts = (bot: RestartBot): (string | null)[] => {
  bot.disk.run();
  return recordsOf(bot.disk).flatMap((record) => (record.k === 'VERDICT' && record.order === REPLACEMENT ? [record.code] : []));
};

describe('a replacement of a live bot', () => {
  it('a replacement is journalled first, and is sent when the old order has ended', () => {
    const bot = botWithWaitingReplacement();
    expect(recordsOf(bot.disk).at(-1)).toMatchObject({ k: 'DRAFT', order: REPLACEMENT, ahead: [OLD_ORDER], qty: '0.1', price: '98' });
    expect(bot.exchange.submitted).toEqual([OLD_ORDER]);
    endOldOrder(bot);
    expect(bot.exchange.submitted).toEqual([OLD_ORDER, REPLACEMENT]);
    expect(replacementVerdicts(bot)).toEqual([null]);
  });

  it('a replacement survives a restart, and is sized by the fills of the old order before and after it', () => {
    const bot = botWithWaitingReplacement();
    fill(bot, 30, 1);
    const restartedBot = restart(bot);
    start(restartedBot);
    expect(restartedBot.exchange.submitted).toEqual([]);
    fill(restartedBot, 20, 2);
    endOldOrder(restartedBot);
    expect(restartedBot.exchange.submitted).toEqual([REPLACEMENT]);
    expect(restartedBot.engine.orders.get(REPLACEMENT)).toMatchObject({ lots: 50, limit: 9800, lifecycle: 'sent' });
  });

  it('a replacement waits until the start is complete, also when the old order ends during the start', () => {
    const restartedBot = restart(botWithWaitingReplacement());
    start(restartedBot, () => {
      endOldOrder(restartedBot);
      expect(restartedBot.exchange.submitted).toEqual([]);
    });
    expect(restartedBot.exchange.submitted).toEqual([REPLACEMENT]);
  });

  it('a replacement whose old order ended before a kill of the process is sent after the next start', () => {
    const bot = botWithWaitingReplacement();
    // The process was killed between the end of the old order and the verdict on the new one.
    bot.engine.orders.ended(bot.engine.orders.get(OLD_ORDER)!, 'canceled', NOW_MS);
    const restartedBot = restart(bot);
    start(restartedBot);
    expect(restartedBot.exchange.submitted).toEqual([REPLACEMENT]);
  });

  it('a replacement is denied with REPLACED_FILLED when the old order has filled', () => {
    const bot = botWithWaitingReplacement();
    fill(bot, 100, 1);
    expect(bot.exchange.submitted).toEqual([OLD_ORDER]);
    expect(replacementVerdicts(bot)).toEqual(['REPLACED_FILLED']);
    expect(restart(bot).engine.orders.drafts.waiting).toEqual([]);
  });

  it('a replacement that the kill switch has denied stays denied after the next start', () => {
    const bot = botWithWaitingReplacement();
    applyInbox(bot.engine, NOW_MS, () => bot.engine.risk.halts.raise(ACCOUNT, 'KILLED', 'KILLED', 'by a test', NOW_MS));
    expect(replacementVerdicts(bot)).toEqual(['KILLED']);
    endOldOrder(bot);
    expect(bot.exchange.submitted).toEqual([OLD_ORDER]);
    expect(restart(bot).engine.orders.drafts.waiting).toEqual([]);
  });

  it('a replacement waits while the outcome of the old order is unknown, also over a restart', () => {
    const bot = botWithWaitingReplacement({ isAcked: false });
    bot.engine.outcomeUnknown(OLD_ORDER);
    const restartedBot = restart(bot);
    start(restartedBot);
    expect(restartedBot.engine.orders.drafts.orders.map(({ id }) => id)).toEqual([REPLACEMENT]);
    // A list shows the old order: its requested cancel is sent, and the replacement waits for its end.
    restartedBot.engine.outcomes.resolve(OLD_ORDER, 'v1' as VenueOrderId);
    expect(restartedBot.exchange.cancelled).toEqual([OLD_ORDER]);
    expect(restartedBot.exchange.submitted).toEqual([]);
    endOldOrder(restartedBot);
    expect(restartedBot.exchange.submitted).toEqual([REPLACEMENT]);
  });

  it('a replacement is not sent by a bot that is stopping', () => {
    const bot = botWithWaitingReplacement();
    bot.engine.drafts.hold();
    endOldOrder(bot);
    expect(bot.exchange.submitted).toEqual([OLD_ORDER]);
    expect(restart(bot).engine.orders.drafts.orders.map(({ id }) => id)).toEqual([REPLACEMENT]);
  });
});
