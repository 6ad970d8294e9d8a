// `isobar why` of a bot folder: every order and bar of a journal is explained as the journal records it.

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { botFileOf } from '../../src/tasks/bot/botFile.ts';
import { writeBotFile } from '../../src/tasks/control/folder/botFile.ts';
import { strategyPlanOf } from '../../src/definition/load/strategies.ts';
import { crossedDown, crossedUp, sma, Strategy } from '../../src/index.ts';
import type { LiveOptions } from '../../src/tasks/bot/openLiveBot.ts';
import { explainBot } from '../../src/tasks/why/bot/explainBot.ts';
import type { Explanation, Question } from '../../src/tasks/why/model/explanation.ts';
import { LiveFixture, stopped, until } from './liveFixture.ts';

let fixture: LiveFixture;
afterEach(async () => fixture.close());

/** Two conditions, orders that fill, limits that rest, and denials by the rate of orders. */
class Watched extends Strategy {
  fast = this.use(sma(this.bars.close, 2));
  up = this.when(crossedUp(this.fast, sma(this.bars.close, 4)), () => {
    this.log('up');
  });
  down = this.when(crossedDown(this.fast, sma(this.bars.close, 4)), () => {
    this.log('down');
  });
  state = this.keep({ bars: 0 });
  override onBar() {
    this.state.bars++;
    const price = this.bars.close.value;
    if (this.position().isFlat) this.buy({ base: '0.01' }, { stopLoss: price * 0.95, tag: 'in' });
    else this.exit();
    for (const tag of ['rest', 'more']) this.buy({ base: '0.001' }, { limit: price * 0.9, tag: `${tag} ${this.state.bars}` });
  }
}

const load: LiveOptions['load'] = async (entry, source) => ({
  plan: strategyPlanOf(entry, { strategy: Watched, name: 'Watched', hash: 'Watched' }, source),
  inputs: [],
  folder: '.',
});

const CONFIG = `strategy: watched.ts
feeds: { bars: { symbol: BTCUSDT, interval: 1m } }
cash: { USDT: '10000' }
risk: { maxOrdersPerMinute: 2, maxOpenOrders: 4 }
bars: { graceMs: 30000, delayMs: 100, spreadMs: 100 }
`;

interface Line {
  readonly k: string;
  readonly order: number;
  readonly ok: boolean;
  readonly code: string | null;
  readonly cid: string;
  readonly side: string;
  readonly qty: string;
  readonly price: string;
  readonly t: number;
  readonly atMs: number;
  readonly tradeId: string;
  readonly createdMs: number;
  readonly bars: readonly (readonly number[])[];
}

function journal(data: string): readonly Line[] {
  const folder = join(data, 'journal');
  const files = readdirSync(folder).filter((name) => name.endsWith('.jsonl')).toSorted(); // prettier-ignore
  return files.flatMap((name) => readFileSync(join(folder, name), 'utf8').trim().split('\n').map((line) => JSON.parse(/\{.*\}/.exec(line)![0]) as Line)); // prettier-ignore
}

test('verdict, code and fills of every order are those of the journal, and every bar has its values', async () => {
  fixture = await LiveFixture.open(60);
  const opened = await fixture.open(fixture.config(CONFIG), [Watched]);
  const { bot } = opened;
  writeBotFile(bot.deps.config.data, botFileOf(opened));
  const [feed] = bot.deps.engine.feeds;
  const before = feed!.bars.length;
  bot.start();
  await until(() => feed!.bars.length >= before + 6, 60_000, 'the bars');
  await stopped(opened);
  const data = join(fixture.folder, 'bot');
  const ask = (question: Partial<Question>): Promise<Explanation> =>
    explainBot(data, { atMs: null, symbol: null, order: null, ...question }, { config: null, load });
  const lines = journal(data);
  const verdicts = lines.filter(({ k }) => k === 'VERDICT');
  expect(verdicts.length).toBeGreaterThan(5);
  expect(new Set(verdicts.map(({ ok }) => ok)).size).toBe(2);
  let filled = 0;
  for (const { order, ok, code, cid } of verdicts) {
    filled += lines.filter((line) => line.k === 'FILL' && line.cid === cid).length;
    const [reported] = (await ask({ order })).orders;
    expect(reported, `order ${order}`).toMatchObject({ order, verdict: ok ? 'approved' : 'denied' });
    expect(reported!.rules.find(({ verdict }) => verdict === 'denied')?.code ?? null).toBe(code);
    const refused = lines.find((line) => line.k === 'REFUSED' && line.cid === cid)?.code;
    expect(reported!.code).toBe(code ?? refused ?? null);
    const fills = lines.filter((line) => line.k === 'FILL' && line.cid === cid);
    const events = reported!.events.filter(({ kind }) => kind === 'fill');
    expect(events.map(({ price, quantity, tradeId }) => [Number(price), Number(quantity), tradeId])).toEqual(
      fills.map(({ price, qty, tradeId }) => [Number(price), Number(qty), tradeId]),
    );
  }
  expect(filled).toBeGreaterThan(0);
  const instants = lines.filter(({ k, bars, atMs }) => k === 'INSTANT' && bars.length === 1 && bars[0]![1]! + 60_000 === atMs).slice(-6);
  for (const { bars, atMs } of instants) {
    const { bar, strategies, orders } = await ask({ atMs: atMs - 1, symbol: 'btcusdt' });
    expect([bar.openMs, bar.open, bar.high, bar.low, bar.close]).toEqual(bars[0]!.slice(1, 6));
    const [strategy] = strategies;
    expect(strategy!.values.find(({ name }) => name === 'close')?.value).toBe(bar.close);
    expect(strategy!.when.map(({ number }) => number)).toEqual([1, 2]);
    const kept = strategy!.fields.find(({ name }) => name === 'state.bars')!;
    expect(Number(kept.after) - Number(kept.before)).toBe(1);
    expect(kept.isKept).toBe(true);
    const decided = verdicts.filter((verdict) =>
      lines.some((line) => line.k === 'INTENT' && line.order === verdict.order && line.createdMs === atMs),
    );
    for (const { order } of decided) expect(orders.map((each) => each.order)).toContain(order);
  }
  await expect(ask({ order: 100_000 })).rejects.toThrow('expected a number from 1 to');
  await expect(ask({ atMs: 0 })).rejects.toThrow('the bars of spot:BTCUSDT 1m that the bot decided on');
});
