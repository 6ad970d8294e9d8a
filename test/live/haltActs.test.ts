// Tests what a live bot does at a halt: it closes unprotected positions and cancels orders that open. A replay decides the same.

import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { Decimal } from '../../src/base/number/decimal.ts';
import { perform } from '../../src/tasks/control/botRequest.ts';
import { writeBotFile } from '../../src/tasks/control/folder/botFile.ts';
import { strategyPlanOf } from '../../src/definition/load/strategies.ts';
import { LossKill } from '../../src/tasks/kill/lossKill.ts';
import { botFileOf } from '../../src/tasks/bot/botFile.ts';
import { LiveControl } from '../../src/tasks/bot/liveControl.ts';
import type { OpenedBot } from '../../src/tasks/bot/openLiveBot.ts';
import { replayFolder } from '../../src/tasks/bot/decisions/replayFolder.ts';
import { Strategy } from '../../src/index.ts';
import type { StrategyClass } from '../../src/strategy/strategy.ts';
import { LiveFixture, stopAndClose, until } from './liveFixture.ts';

let fixture: LiveFixture;
afterEach(async () => fixture.close());

/** Returns why a loss limit kills the bot, or null while it does not. */
const lossKillReason = (bot: OpenedBot['bot']): string | null =>
  new LossKill({ risk: bot.deps.engine.risk, equityUnits: () => bot.equity.currentTotal() }).killReason();

/** Returns the config of a bot with these risk limits. */
const configOf = (risk: string) => `strategy: one.ts
feeds: { bars: { symbol: BTCUSDT, interval: 1m } }
cash: { USDT: '10000' }
bars: { graceMs: 30000, delayMs: 100, spreadMs: 100 }
risk: ${risk}
`;

/** Buys at each bar until it has a position: a slow computer's clock may make the exchange refuse an order. */
class BuysOnce extends Strategy {
  size = '0.01';
  #hasBought = false;
  override onBar() {
    this.#hasBought ||= !this.position().isFlat;
    if (!this.#hasBought) this.buy({ base: this.size }, { tag: 'in', ...this.protection() });
    this.placeMoreOrders();
  }
  protection() {
    return {};
  }
  placeMoreOrders() {}
}
/** Has a position without a stop, and a limit far below the market. The limit is placed again when the exchange refused it as too late. */
class Unprotected extends BuysOnce {
  override placeMoreOrders() {
    if (!this.openOrders().some(({ tag }) => tag === 'rest'))
      this.buy({ base: '0.001' }, { limit: this.bars.close.value * 0.9, tag: 'rest' });
  }
}
/** Has a position with a stop far below, a limit that opens and a limit that closes. Both limits are placed again when they end. */
class Protected extends BuysOnce {
  override protection() {
    return { stopLoss: this.bars.close.value * 0.5 };
  }
  override placeMoreOrders() {
    const price = this.bars.close.value;
    if (this.position().isFlat) return;
    this.buy({ base: '0.001' }, { limit: price * 0.9, tag: 'rest' });
    this.sell({ base: '0.005' }, { limit: price * 1.5, tag: 'out' });
  }
}
/** Buys a quantity whose fee alone is more than twice the loss limit of the test. */
class BuysTooMuch extends BuysOnce {
  override size = '0.1';
}

/** Opens a bot on a paper exchange that runs 30 times as fast. */
async function openBot(strategy: StrategyClass, risk: string) {
  fixture = await LiveFixture.open(30);
  const opened = await fixture.open(fixture.config(configOf(risk)), [strategy]);
  writeBotFile(opened.bot.deps.config.data, botFileOf(opened));
  return opened;
}
/** Returns the first decision that a replay of the journal makes differently, or null. */
async function replayDifference(strategy: StrategyClass) {
  const plan = { strategy, name: strategy.name, hash: strategy.name };
  const { difference: firstDifference, decisions } = await replayFolder(join(fixture.folder, 'bot'), {
    config: null,
    load: async (entry, source) => ({ plan: strategyPlanOf(entry, plan, source), inputs: [], folder: '.' }),
  });
  expect(decisions).toBeGreaterThan(3);
  return firstDifference;
}

test('a position without a stop first halts its strategy, and is closed by a reduce-only order after a longer time', async () => {
  const opened = await openBot(Unprotected, '{ maxNakedMs: 10000, maxNakedExitMs: 60000 }');
  const { bot } = opened;
  const { engine } = bot.deps;
  bot.start();
  await until(() => bot.fills.length > 0, 60_000, 'the entry').catch(fixture.failWithLog);
  await until(() => engine.risk.halts.causes().some(({ code }) => code === 'NAKED'), 60_000, 'the halt').catch(fixture.failWithLog);
  await until(() => engine.ledger.isFlat(0, 0) && engine.orders.active().length === 0, 60_000, 'the exit').catch(fixture.failWithLog);
  await until(() => engine.risk.halts.causes().length === 0, 60_000, 'the end of the halts').catch(fixture.failWithLog);
  // The entry may have met several orders of the book. Nothing is bought after the first sale.
  const exits = bot.fills.slice(bot.fills.findIndex(({ side }) => side === 'sell'));
  const entries = bot.fills.filter(({ side }) => side === 'buy');
  expect(entries.reduce((sum, { qty }) => sum.plus(qty), new Decimal(0)).toFixed()).toBe('0.01');
  expect(new Set(exits.map(({ side }) => side))).toEqual(new Set(['sell']));
  const raiseTimes = (cause: string): readonly number[] =>
    engine.risk.halts
      .changes()
      .filter(({ isRaised, code }) => isRaised && code === cause)
      .map(({ timeMs }) => timeMs);
  // On a busy machine the exit takes longer than a minute of the exchange, and each cause is raised again.
  const [nakedMs = Infinity] = raiseTimes('NAKED');
  const [exitMs = -Infinity] = raiseTimes('NAKED_EXIT');
  expect(exitMs - nakedMs).toBeGreaterThan(40_000);
  // Nothing was sold at the first halt. The exchange's clock, which a fill has, and the bot's differ by some seconds at this speed.
  expect(Math.min(...exits.map(({ timeMs }) => timeMs)) - nakedMs).toBeGreaterThan(20_000);
  await stopAndClose(opened);
  expect(await replayDifference(Unprotected)).toBeNull();
});

test('a loss limit cancels orders that open a position, and leaves closing orders and protected positions alone', async () => {
  const opened = await openBot(Protected, "{ maxNakedMs: 1000, maxNakedExitMs: 2000, maxDrawdown: '0.5' }");
  const { bot } = opened;
  const { engine } = bot.deps;
  /** Returns the sides of the working orders, sorted. */
  const workingSides = () =>
    engine.orders
      .active()
      .filter(({ lifecycle }) => lifecycle === 'working')
      .map(({ side }) => side)
      .toSorted();
  bot.start();
  await until(() => workingSides().length === 2, 60_000, 'both orders').catch(fixture.failWithLog);
  const barsBefore = engine.feeds[0]!.bars.length;
  await until(() => engine.feeds[0]!.bars.length > barsBefore, 60_000, 'a bar').catch(fixture.failWithLog);
  // On a busy machine other causes may come, such as one that no answer came in time.
  expect(engine.risk.halts.causes().filter(({ code }) => code.startsWith('NAKED'))).toEqual([]);
  bot.driver.step(() => engine.risk.halts.raise({ kind: 'account' }, 'HALT_NEW', 'DRAWDOWN', 'a test', engine.nowMs));
  await until(() => engine.orders.active().length === 1, 60_000, 'the cancel').catch(fixture.failWithLog);
  expect(workingSides()).toEqual(['sell']);
  expect(engine.brackets.waiting(0)).toBe(1);
  // The entry may have met several orders of the book.
  expect(bot.fills.map(({ side }) => side)).not.toContain('sell');
  // The rule at one and a half times the limit reads the same headroom.
  const control = new LiveControl({ ...opened, loopDelayP99Ms: () => null });
  expect(control.view().headroom.find(({ limit }) => limit === 'maxDrawdown')).toMatchObject({
    used: expect.stringMatching(/^0\.0/),
    max: '0.5',
  });
  expect(lossKillReason(bot)).toBeNull();
  await stopAndClose(opened);
  expect(await replayDifference(Protected)).toBeNull();
});

test('a bot without a request of the operator halts until the next request, and after an alert until it is acknowledged', async () => {
  const opened = await openBot(Unprotected, '{ maxHeartbeatAgeMs: 60000, maxAlertAgeMs: 120000 }');
  const { bot } = opened;
  const { halts } = bot.deps.engine.risk;
  const control = new LiveControl({ ...opened, loopDelayP99Ms: () => null });
  const deadManReason = () => halts.causes().find(({ code }) => code === 'DEAD_MAN')?.why ?? '';
  const request = (op: 'view' | 'acknowledge') => perform(control, { op }, 'me');
  bot.start();
  await until(() => deadManReason().startsWith('no sign of life'), 60_000, 'the halt').catch(fixture.failWithLog);
  void request('view');
  await until(() => deadManReason() === '', 60_000, 'its end').catch(fixture.failWithLog);
  bot.operatorPresence.noteAlarm(bot.deps.venueMs());
  await until(() => (request('view'), deadManReason().startsWith('an alert is unanswered')), 60_000, 'the halt for the alarm').catch(
    fixture.failWithLog,
  );
  expect(request('acknowledge')).toMatchObject({ done: true });
  await until(() => (request('view'), deadManReason() === ''), 60_000, 'its end').catch(fixture.failWithLog);
  expect(request('acknowledge')).toMatchObject({ done: false });
  await stopAndClose(opened);
});

test('a loss of one and a half times the limit kills the bot and closes all positions', async () => {
  const opened = await openBot(BuysTooMuch, "{ maxDrawdown: '0.0002' }");
  const { bot } = opened;
  const control = new LiveControl({ ...opened, loopDelayP99Ms: () => null });
  bot.start();
  await until(() => bot.fills.length > 0, 60_000, 'the entry').catch(fixture.failWithLog);
  await until(() => lossKillReason(bot) !== null, 60_000, 'the loss').catch(fixture.failWithLog);
  const killing = control.kill({ flatten: true, why: lossKillReason(bot)! }, 'loss limit');
  expect(await killing).toMatchObject({ done: true });
  await until(() => control.view().kill?.phase === 'done', 60_000, 'the end of the kill').catch(fixture.failWithLog);
  expect(control.view().kill?.residuals).toEqual([]);
  await opened.close();
});

test('after a kill that closed everything the view has no orders and no positions, even before every fill is booked', async () => {
  const opened = await openBot(Unprotected, '{}');
  const { bot } = opened;
  const control = new LiveControl({ ...opened, loopDelayP99Ms: () => null });
  bot.start();
  await until(() => bot.fills.length > 0 && control.view().open.some(({ role }) => role === 'limit'), 60_000, 'both orders').catch(
    fixture.failWithLog,
  );
  expect(control.view().positions).toHaveLength(1);
  expect(await control.kill({ flatten: true, why: 'a test' }, 'me')).toMatchObject({ done: true });
  await until(() => control.view().kill?.phase === 'done', 60_000, 'the end of the kill').catch(fixture.failWithLog);
  expect(control.view()).toMatchObject({ open: [], unknown: [], positions: [], kill: { residuals: [] } });
  await opened.close();
});
