// Tests `isobar why` of a bot folder: it explains every order and bar as the journal records them.

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
import { LiveFixture, stopAndClose, until } from './liveFixture.ts';

let fixture: LiveFixture;
afterEach(async () => fixture.close());

/** Has two conditions, orders that fill, limits that rest, and orders that the rate limit denies. */
class Explained extends Strategy {
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

/** Loads the class of this test in place of a strategy file. */
const load: LiveOptions['load'] = async (entry, source) => ({
  plan: strategyPlanOf(entry, { strategy: Explained, name: 'Watched', hash: 'Watched' }, source),
  inputs: [],
  folder: '.',
});

const CONFIG = `strategy: watched.ts
feeds: { bars: { symbol: BTCUSDT, interval: 1m } }
cash: { USDT: '10000' }
risk: { maxOrdersPerMinute: 2, maxOpenOrders: 4 }
bars: { graceMs: 30000, delayMs: 100, spreadMs: 100 }
`;

/** The members of journal records that are read here. */
interface JournalLine {
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

/** Returns the records of a bot's journal. */
function journalLines(dataFolder: string): readonly JournalLine[] {
  const folder = join(dataFolder, 'journal');
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .toSorted();
  const lines = files.flatMap((name) => readFileSync(join(folder, name), 'utf8').trim().split('\n'));
  return lines.map((line) => JSON.parse(/\{.*\}/.exec(line)![0]) as JournalLine);
}

type Explain = (question: Partial<Question>) => Promise<Explanation>;

/** Runs a bot for six bars at least, and until an order has filled, and stops it. Returns the records of its journal, and a function that explains it. */
async function runExplainedBot(): Promise<{ readonly lines: readonly JournalLine[]; readonly explain: Explain }> {
  fixture = await LiveFixture.open(60);
  const opened = await fixture.open(fixture.config(CONFIG), [Explained]);
  const { bot } = opened;
  writeBotFile(bot.deps.config.data, botFileOf(opened));
  const [feed] = bot.deps.engine.feeds;
  const barsAtStart = feed!.bars.length;
  bot.start();
  await until(() => feed!.bars.length >= barsAtStart + 6 && bot.fillCount > 0, 60_000, 'the bars and a fill');
  await stopAndClose(opened);
  const dataFolder = join(fixture.folder, 'bot');
  const explain: Explain = (question) =>
    explainBot(dataFolder, { atMs: null, symbol: null, order: null, ...question }, { config: null, load });
  return { lines: journalLines(dataFolder), explain };
}

/** Compares the explanation of one order with its records. Returns the number of its fills. */
async function checkOrder({ order, ok, code, cid }: JournalLine, lines: readonly JournalLine[], explain: Explain): Promise<number> {
  const [explained] = (await explain({ order })).orders;
  expect(explained, `order ${order}`).toMatchObject({ order, verdict: ok ? 'approved' : 'denied' });
  expect(explained!.rules.find(({ verdict }) => verdict === 'denied')?.code ?? null).toBe(code);
  const refused = lines.find((line) => line.k === 'REFUSED' && line.cid === cid)?.code;
  expect(explained!.code).toBe(code ?? refused ?? null);
  const fills = lines.filter((line) => line.k === 'FILL' && line.cid === cid);
  const events = explained!.events.filter(({ kind }) => kind === 'fill');
  expect(events.map(({ price, quantity, tradeId }) => [Number(price), Number(quantity), tradeId])).toEqual(
    fills.map(({ price, qty, tradeId }) => [Number(price), Number(qty), tradeId]),
  );
  return fills.length;
}

/** Compares the explanation of one bar with the record of its instant, and with the orders that were decided on it. */
async function checkBar({ bars, atMs }: JournalLine, lines: readonly JournalLine[], explain: Explain): Promise<void> {
  const { bar, strategies, orders } = await explain({ atMs: atMs - 1, symbol: 'btcusdt' });
  expect([bar.openMs, bar.open, bar.high, bar.low, bar.close]).toEqual(bars[0]!.slice(1, 6));
  const [strategy] = strategies;
  expect(strategy!.values.find(({ name }) => name === 'close')?.value).toBe(bar.close);
  expect(strategy!.when.map(({ number }) => number)).toEqual([1, 2]);
  const keptField = strategy!.fields.find(({ name }) => name === 'state.bars')!;
  expect(Number(keptField.after) - Number(keptField.before)).toBe(1);
  expect(keptField.isKept).toBe(true);
  const decidedOrders = lines.filter(({ k, createdMs }) => k === 'INTENT' && createdMs === atMs).map(({ order }) => order);
  const ordersWithVerdict = new Set(lines.filter(({ k }) => k === 'VERDICT').map(({ order }) => order));
  for (const order of decidedOrders)
    if (ordersWithVerdict.has(order)) expect(orders.map((explainedOrder) => explainedOrder.order)).toContain(order);
}

test('isobar why gives the verdict, code and fills of every order in the journal, and the values of every bar', async () => {
  const { lines, explain } = await runExplainedBot();
  const verdicts = lines.filter(({ k }) => k === 'VERDICT');
  expect(verdicts.length).toBeGreaterThan(5);
  expect(new Set(verdicts.map(({ ok }) => ok)).size).toBe(2);
  let fillCount = 0;
  for (const verdict of verdicts) fillCount += await checkOrder(verdict, lines, explain);
  expect(fillCount).toBeGreaterThan(0);
  const instants = lines.filter(({ k, bars, atMs }) => k === 'INSTANT' && bars.length === 1 && bars[0]![1]! + 60_000 === atMs).slice(-6);
  for (const instant of instants) await checkBar(instant, lines, explain);
  await expect(explain({ order: 100_000 })).rejects.toThrow('expected a number from 1 to');
  await expect(explain({ atMs: 0 })).rejects.toThrow('the bars of spot:BTCUSDT 1m that the bot decided on');
});
