// Tests the buy of a rebalance over restarts and kills: it waits until earlier orders have ended, and never cancels them.

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

/** Ids that the bot gives its first two orders. */
const EARLIER_ORDER = 1 as OrderId;
const REBALANCE_BUY = 2 as OrderId;
const ACCOUNT = { kind: 'account' } as const;
/** Lots that the rebalance wants to hold. The earlier order buys 100 of them if it fills. */
const TARGET_LOTS = 300;

/** Opens a bot whose halts deny and cancel orders, as in a live bot. */
function openBotWithHalts(disk: SimulatedDisk, nowMs = NOW_MS): RestartBot {
  const bot = openBot(disk, nowMs);
  bot.engine.haltActions = new HaltActions(bot.engine);
  return bot;
}
/** Returns a bot with a working order, and a buy of a rebalance that waits for its end. */
function botWithWaitingBuy({ isAcked } = { isAcked: true }): RestartBot {
  const bot = openBotWithHalts(new SimulatedDisk());
  const { engine } = bot;
  const earlier = engine.newOrder(0, engine.execution[0]!, 'buy');
  Object.assign(earlier, { slot: 'target', role: 'limit', lots: 100 as Lots, limit: 9900 as Ticks });
  engine.submit(earlier);
  if (isAcked) engine.acked(EARLIER_ORDER, 'v1' as VenueOrderId, NOW_MS);
  const order = engine.newOrder(0, engine.execution[0]!, 'buy');
  Object.assign(order, { slot: REBALANCE, lots: TARGET_LOTS as Lots });
  engine.drafts.reverse(order, [EARLIER_ORDER], TARGET_LOTS);
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
/** Fills lots of the earlier order at 99. */
const fill = ({ engine }: RestartBot, lots: number, tradeId: number): void =>
  engine.filled(EARLIER_ORDER, fillOf({ tradeId, price: 9900, lots, notional: lots * 9900 * 1000, timeMs: NOW_MS }));

describe('a buy of a rebalance that waits for another order', () => {
  it('a rebalance buy is journalled, and is sent for the missing lots once the earlier order has ended', () => {
    const bot = botWithWaitingBuy();
    expect(recordsOf(bot.disk).at(-1)).toMatchObject({ k: 'DRAFT', order: REBALANCE_BUY, ahead: [EARLIER_ORDER] });
    fill(bot, 100, 1);
    expect(bot.exchange.submitted).toEqual([EARLIER_ORDER, REBALANCE_BUY]);
    // 200 lots at the last price of 100.00 are 20 of the quote asset.
    expect(bot.engine.orders.get(REBALANCE_BUY)).toMatchObject({ quoteUnits: 2_000_000_000, lots: 0, limit: 0 });
  });
  it('a rebalance buy survives a restart, and is sized by the fills before and after it', () => {
    const bot = botWithWaitingBuy();
    fill(bot, 30, 1);
    const restartedBot = restart(bot);
    start(restartedBot);
    expect(restartedBot.exchange.cancelled).toEqual([]);
    expect(restartedBot.exchange.submitted).toEqual([]);
    fill(restartedBot, 70, 2);
    expect(restartedBot.exchange.submitted).toEqual([REBALANCE_BUY]);
    expect(restartedBot.engine.orders.get(REBALANCE_BUY)).toMatchObject({ quoteUnits: 2_000_000_000, lifecycle: 'sent' });
    expect(restartedBot.exchange.cancelled).toEqual([]);
  });
  it('a rebalance buy waits while the outcome of the earlier order is unknown, and does not cancel it', () => {
    const bot = botWithWaitingBuy({ isAcked: false });
    bot.engine.outcomeUnknown(EARLIER_ORDER);
    const restartedBot = restart(bot);
    start(restartedBot);
    restartedBot.engine.outcomes.resolve(EARLIER_ORDER, 'v1' as VenueOrderId);
    expect(restartedBot.exchange.cancelled).toEqual([]);
    expect(restartedBot.engine.orders.drafts.orders.map(({ id }) => id)).toEqual([REBALANCE_BUY]);
    restartedBot.engine.ended(EARLIER_ORDER, 'canceled', NOW_MS);
    expect(restartedBot.exchange.submitted).toEqual([REBALANCE_BUY]);
    expect(restartedBot.engine.orders.get(REBALANCE_BUY)).toMatchObject({ quoteUnits: 3_000_000_000 });
  });
  it('a rebalance buy waits until the start of the bot is complete', () => {
    const restartedBot = restart(botWithWaitingBuy());
    start(restartedBot, () => {
      restartedBot.engine.ended(EARLIER_ORDER, 'canceled', NOW_MS);
      expect(restartedBot.exchange.submitted).toEqual([]);
    });
    expect(restartedBot.exchange.submitted).toEqual([REBALANCE_BUY]);
  });
  it('a rebalance buy that a kill has denied stays denied after the next start', () => {
    const bot = botWithWaitingBuy();
    applyInbox(bot.engine, NOW_MS, () => bot.engine.risk.halts.raise(ACCOUNT, 'KILLED', 'KILLED', 'by a test', NOW_MS));
    bot.engine.ended(EARLIER_ORDER, 'canceled', NOW_MS);
    expect(bot.exchange.submitted).toEqual([EARLIER_ORDER]);
    expect(restart(bot).engine.orders.drafts.waiting).toEqual([]);
  });
});
