// Orders that a person has placed by hand, beside a live bot over real sockets: adopted or ignored, and the decision lasts.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { callAsPromise } from '../../src/adapters/exchange/client/callAsPromise.ts';
import { writeBotFile } from '../../src/tasks/control/folder/botFile.ts';
import { strategyPlanOf } from '../../src/definition/load/strategies.ts';
import { botFileOf } from '../../src/tasks/bot/botFile.ts';
import { LiveControl } from '../../src/tasks/bot/botControls.ts';
import type { OpenedBot } from '../../src/tasks/bot/openLiveBot.ts';
import { replayFolder } from '../../src/tasks/bot/decisions/folder.ts';
import { Strategy } from '../../src/index.ts';
import { LiveFixture, stopped, until } from './liveFixture.ts';

let fixture: LiveFixture;
afterEach(async () => fixture.close());

class Idle extends Strategy {
  override onBar() {}
}
const CONFIG = `strategy: idle.ts
feeds: { bars: { symbol: BTCUSDT, interval: 1m } }
cash: { USDT: '10000' }
bars: { graceMs: 30000, delayMs: 100, spreadMs: 100 }
`;

/** Places an order past the bot, as a person would. Returns its venue order id. */
async function placed({ bot }: OpenedBot, side: 'BUY' | 'SELL', volume: string, times: number): Promise<string> {
  const { exchange, engine } = bot.deps;
  const price = ((engine.lastTicks(0) * times) / 100).toFixed(2);
  const outcome = await callAsPromise(
    exchange.ungated,
    'spot.newOrder',
    { symbol: 'BTCUSDT', side, type: 'LIMIT', volume, price },
    { timeoutMs: 60_000 },
  );
  if (outcome.kind !== 'acked') throw new Error(JSON.stringify(outcome));
  return outcome.value.orderId;
}
async function started(): Promise<{ readonly it: OpenedBot; readonly control: LiveControl }> {
  const it = await fixture.open(fixture.config(CONFIG), [Idle]);
  const control = new LiveControl({ ...it, loopDelayP99Ms: () => null });
  writeBotFile(it.bot.deps.config.data, botFileOf(it));
  it.bot.start();
  await until(() => it.bot.isTrading || it.bot.auditState.result === 'mismatch', 60_000, 'the first audits');
  return { it, control };
}
const journalText = (): string => {
  const folder = join(fixture.folder, 'bot', 'journal');
  return readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('');
};
const isForeign = (control: LiveControl, id: string) => (): boolean => control.view().foreignOrders.some((foreign) => foreign.id === id);
const halts = ({ bot }: OpenedBot): readonly string[] => bot.deps.engine.risk.halts.causes().map(({ code }) => code);

/** Three orders by hand: one is adopted and fills, one is adopted and rests, one is ignored. Returns the id of the one that rests. */
async function firstLifetime(): Promise<string> {
  const { it, control } = await started();
  const { engine } = it.bot.deps;
  const [rests, fills, other] = [
    await placed(it, 'BUY', '0.01', 0.5),
    await placed(it, 'BUY', '0.02', 1.02),
    await placed(it, 'BUY', '0.03', 0.5),
  ];
  for (const id of [rests, fills, other]) await until(isForeign(control, id), 60_000, `foreign order ${id}`);
  expect(halts(it)).toContain('ALIEN');

  // It can only be adopted by a strategy of the bot, and only a foreign order can be adopted.
  expect(await control.decide({ what: 'adopt', id: rests, strategy: 'Nobody', why: 'a test' }, 'me')).toMatchObject({ done: false });
  expect(await control.decide({ what: 'adopt', id: '1', strategy: null, why: 'a test' }, 'me')).toMatchObject({ done: false });
  const adopted = await control.decide({ what: 'adopt', id: rests, strategy: 'Idle', why: 'mine' }, 'me');
  expect(adopted).toMatchObject({ done: true });
  // The decision is durable before its answer.
  expect(journalText()).toMatch(new RegExp(`"k":"HUMAN","who":"me","what":"adopt","id":"spot:BTCUSDT ${rests}"`));
  expect(control.view().open).toMatchObject([{ venueId: rests, strategy: 'Idle', qty: '0.01', lifecycle: 'working' }]);
  expect(engine.reservations.openTotal).toBe(1);

  // The fills of the adopted order are booked as if the bot had sent it.
  expect(await control.decide({ what: 'adopt', id: fills, strategy: null, why: 'mine' }, 'me')).toMatchObject({ done: true });
  await until(() => engine.ledger.qty(0, 0) > 0, 60_000, 'its fills');
  expect(it.bot.fills.reduce((sum, { qty }) => sum + Number(qty), 0)).toBeCloseTo(0.02, 8);
  expect(halts(it)).toContain('ALIEN');
  expect(await control.decide({ what: 'ignore', id: other, why: 'not mine' }, 'me')).toMatchObject({ done: true });
  // Each order has a decision now: trading continues.
  expect(halts(it)).not.toContain('ALIEN');
  await until(() => it.bot.auditState.result === 'ok', 60_000, 'a clean audit');
  await stopped(it);
  return rests;
}

test('an adopted foreign order is reserved, booked and restored as an order of its strategy; an ignored one is never touched', async () => {
  fixture = await LiveFixture.open(20);
  const rests = await firstLifetime();
  const { it: next, control: again } = await started();
  expect(again.view().open).toMatchObject([{ venueId: rests, strategy: 'Idle', lifecycle: 'working' }]);
  await until(() => next.bot.isTrading, 60_000, 'two clean audits');
  expect(again.view().foreignOrders).toEqual([]);
  await stopped(next);

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
  const { it: last, control } = await started();
  const { orders, nowMs } = last.bot.deps.engine;
  last.bot.driver.step(() => orders.cancel(orders.active()[0]!, nowMs));
  await until(() => control.view().open.length === 0, 60_000, 'its end');
  await stopped(last);
});

test('a foreign order that the strategy cannot pay for is not adopted', async () => {
  fixture = await LiveFixture.open(20);
  const { it, control } = await started();
  const id = await placed(it, 'BUY', '1', 0.5);
  await until(isForeign(control, id), 60_000, 'the foreign order');
  const answer = await control.decide({ what: 'adopt', id, strategy: null, why: 'mine' }, 'me');
  expect(answer).toMatchObject({ done: false });
  expect(answer.message).toContain('cannot pay for it: needs');
  expect(control.view().open).toEqual([]);
  expect(halts(it)).toContain('ALIEN');
  await stopped(it);
});
