// Tests orders that a person has placed beside a live bot: they are adopted or ignored, and the decision lasts.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { callAsPromise } from '../../src/adapters/exchange/client/callAsPromise.ts';
import { writeBotFile } from '../../src/tasks/control/folder/botFile.ts';
import { strategyPlanOf } from '../../src/definition/load/strategies.ts';
import { botFileOf } from '../../src/tasks/bot/botFile.ts';
import { LiveControl } from '../../src/tasks/bot/liveControl.ts';
import type { OpenedBot } from '../../src/tasks/bot/openLiveBot.ts';
import { replayFolder } from '../../src/tasks/bot/decisions/replayFolder.ts';
import { Strategy } from '../../src/index.ts';
import { LiveFixture, stopAndClose, until } from './liveFixture.ts';

let fixture: LiveFixture;
afterEach(async () => fixture.close());

/** Never trades, so that every order is foreign. */
class Idle extends Strategy {
  override onBar() {}
}
/** Full audits are frequent, because only they read the orders that ended at the exchange and are not the bot's. */
const CONFIG = `strategy: idle.ts
feeds: { bars: { symbol: BTCUSDT, interval: 1m } }
cash: { USDT: '10000' }
bars: { graceMs: 30000, delayMs: 100, spreadMs: 100 }
audit: { fullMs: 30000 }
`;

/**
 * Places an order past the bot, as a person would, at `priceFactor` times the last price. `newClientOrderId`: a client order id of the person's own.
 * Returns its venue order id.
 */
async function placeManualOrder(
  { bot }: OpenedBot,
  side: 'BUY' | 'SELL',
  volume: string,
  priceFactor: number,
  newClientOrderId?: string,
): Promise<string> {
  const { exchange, engine } = bot.deps;
  const price = ((engine.lastTicks(0) * priceFactor) / 100).toFixed(2);
  const outcome = await callAsPromise(
    exchange.ungated,
    'spot.newOrder',
    { symbol: 'BTCUSDT', side, type: 'LIMIT', volume, price, ...(newClientOrderId === undefined ? {} : { newClientOrderId }) },
    { timeoutMs: 60_000 },
  );
  if (outcome.kind !== 'acked') throw new Error(JSON.stringify(outcome));
  return outcome.value.orderId;
}
/** Starts the bot and waits for its first audits. */
async function startBot(): Promise<{ readonly opened: OpenedBot; readonly control: LiveControl }> {
  const opened = await fixture.open(fixture.config(CONFIG), [Idle]);
  const control = new LiveControl({ ...opened, loopDelayP99Ms: () => null });
  writeBotFile(opened.bot.deps.config.data, botFileOf(opened));
  opened.bot.start();
  await until(() => opened.bot.isTrading || opened.bot.auditState.result === 'mismatch', 60_000, 'the first audits');
  return { opened, control };
}
/** Returns all records of the bot's journal as text. */
const journalText = (): string => {
  const folder = join(fixture.folder, 'bot', 'journal');
  return readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('');
};

/** True when the bot reports an order as foreign. */
const isForeign = (control: LiveControl, id: string): boolean => control.view().foreignOrders.some((foreign) => foreign.id === id);
/** Returns the codes of all halt causes. */
const haltCodes = ({ bot }: OpenedBot): readonly string[] => bot.deps.engine.risk.halts.causes().map(({ code }) => code);

/** Places three orders by hand. Adopts one that fills and one that rests, and ignores the third. Returns the id of the resting one. */
async function decideThreeOrders(): Promise<string> {
  const { opened, control } = await startBot();
  const { engine } = opened.bot.deps;
  const restingId = await placeManualOrder(opened, 'BUY', '0.01', 0.5, 'by-hand-1');
  const fillingId = await placeManualOrder(opened, 'BUY', '0.02', 1.02);
  const ignoredId = await placeManualOrder(opened, 'BUY', '0.03', 0.5);
  for (const id of [restingId, fillingId, ignoredId]) await until(() => isForeign(control, id), 60_000, `foreign order ${id}`);
  expect(haltCodes(opened)).toContain('ALIEN');

  // Only a strategy of the bot can adopt an order, and only a foreign order can be adopted.
  expect(await control.decide({ what: 'adopt', id: restingId, strategy: 'Nobody', why: 'a test' }, 'me')).toMatchObject({ done: false });
  expect(await control.decide({ what: 'adopt', id: '1', strategy: null, why: 'a test' }, 'me')).toMatchObject({ done: false });
  const adopted = await control.decide({ what: 'adopt', id: restingId, strategy: 'Idle', why: 'mine' }, 'me');
  expect(adopted).toMatchObject({ done: true });
  // The decision is durable before its reply.
  expect(journalText()).toMatch(new RegExp(`"k":"HUMAN","who":"me","what":"adopt","id":"spot:BTCUSDT ${restingId}"`));
  expect(control.view().open).toMatchObject([{ venueId: restingId, strategy: 'Idle', qty: '0.01', lifecycle: 'working' }]);
  expect(engine.reservations.openOrdersTotal).toBe(1);

  // The fills of the adopted order are booked as if the bot had sent it.
  expect(await control.decide({ what: 'adopt', id: fillingId, strategy: null, why: 'mine' }, 'me')).toMatchObject({ done: true });
  await until(() => engine.ledger.qty(0, 0) > 0, 60_000, 'its fills');
  expect(opened.bot.fills.reduce((sum, { qty }) => sum + Number(qty), 0)).toBeCloseTo(0.02, 8);
  expect(haltCodes(opened)).toContain('ALIEN');
  expect(await control.decide({ what: 'ignore', id: ignoredId, why: 'not mine' }, 'me')).toMatchObject({ done: true });
  // Each order has a decision now: trading continues.
  expect(haltCodes(opened)).not.toContain('ALIEN');
  await until(() => opened.bot.auditState.result === 'ok', 60_000, 'a clean audit');
  await stopAndClose(opened);
  return restingId;
}

test('an adopted foreign order is reserved, booked and restored as an order of its strategy', async () => {
  fixture = await LiveFixture.open(20);
  const restingId = await decideThreeOrders();
  const { opened: restarted, control: controlAfterRestart } = await startBot();
  expect(controlAfterRestart.view().open).toMatchObject([{ venueId: restingId, strategy: 'Idle', lifecycle: 'working' }]);
  await until(() => restarted.bot.isTrading, 60_000, 'two clean audits');
  expect(controlAfterRestart.view().foreignOrders).toEqual([]);
  await stopAndClose(restarted);

  const replayed = await replayFolder(join(fixture.folder, 'bot'), {
    config: null,
    load: async (entry, source) => ({
      plan: strategyPlanOf(entry, { strategy: Idle, name: 'Idle', hash: 'Idle' }, source),
      inputs: [],
      folder: '.',
    }),
  });
  expect(replayed.difference).toBeNull();

  // The adopted order can be cancelled like any other.
  const { opened: thirdBot, control } = await startBot();
  const { orders, nowMs } = thirdBot.bot.deps.engine;
  thirdBot.bot.driver.step(() => orders.cancel(orders.active()[0]!, nowMs));
  await until(() => control.view().open.length === 0, 60_000, 'its end');
  await stopAndClose(thirdBot);
});

test('a foreign order that the strategy cannot pay for is not adopted', async () => {
  fixture = await LiveFixture.open(20);
  const { opened, control } = await startBot();
  const id = await placeManualOrder(opened, 'BUY', '1', 0.5);
  await until(() => isForeign(control, id), 60_000, 'the foreign order');
  const reply = await control.decide({ what: 'adopt', id, strategy: null, why: 'mine' }, 'me');
  expect(reply).toMatchObject({ done: false });
  expect(reply.message).toContain('cannot pay for it: needs');
  expect(control.view().open).toEqual([]);
  expect(haltCodes(opened)).toContain('ALIEN');
  await stopAndClose(opened);
});

test('a mismatch that the operator has accepted does not halt the bot again after kill -9', async () => {
  fixture = await LiveFixture.open(20);
  const { opened, control } = await startBot();
  await until(() => opened.bot.isTrading, 60_000, 'two clean audits');
  fixture.exchange.service.spot.venue.deposit(0, 'USDT', 12_345);
  await until(() => haltCodes(opened).includes('MISMATCH'), 60_000, 'the mismatch');
  const accepting = control.resume({ scope: 'account', code: 'MISMATCH', why: 'a deposit' }, 'me');
  // The process ends as soon as the reply has arrived, so that no audit runs in between.
  opened.bot.driver.stop();
  expect(await accepting).toMatchObject({ done: true });
  await opened.close();

  const { opened: restarted } = await startBot();
  expect(restarted.bot.auditState.result).not.toBe('mismatch');
  expect(haltCodes(restarted)).not.toContain('MISMATCH');
  await until(() => restarted.bot.isTrading, 60_000, 'two clean audits');
  await stopAndClose(restarted);
});

test('a foreign order that waited for a decision at kill -9 waits for it after the restart', async () => {
  fixture = await LiveFixture.open(20);
  const { opened } = await startBot();
  const id = await placeManualOrder(opened, 'BUY', '0.01', 1.02);
  await until(() => haltCodes(opened).includes('ALIEN'), 60_000, 'the halt');
  await opened.bot.waitUntilDurable(opened.bot.deps.journal.lastSeq);
  opened.bot.driver.stop();
  await opened.close();

  const restarted = await startBot();
  expect(haltCodes(restarted.opened)).toContain('ALIEN');
  expect(restarted.control.view().foreignOrders.map((foreign) => foreign.id)).toEqual([id]);
  await until(() => restarted.opened.bot.auditState.result === 'mismatch', 60_000, 'an audit');
  expect(await restarted.control.decide({ what: 'ignore', id, why: 'by hand' }, 'me')).toMatchObject({ done: true });
  await until(() => restarted.opened.bot.isTrading, 60_000, 'two clean audits');
  expect(haltCodes(restarted.opened)).toEqual([]);
  await stopAndClose(restarted.opened);
});
