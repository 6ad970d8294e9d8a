// A portfolio live over real HTTP: series over two symbols and a rebalance at every bar, over two starts, and the journal decides the same again.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { JournalRecord } from '../../src/adapters/journal/records/records.ts';
import { writeBotFile } from '../../src/tasks/control/folder/botFile.ts';
import { Decimal } from '../../src/base/number/decimal.ts';
import { strategyPlanOf } from '../../src/definition/load/strategies.ts';
import { botFileOf } from '../../src/tasks/bot/botFile.ts';
import type { LiveOptions } from '../../src/tasks/bot/openLiveBot.ts';
import { replayFolder } from '../../src/tasks/bot/decisions/folder.ts';
import { beta, div, rank, roc, Strategy } from '../../src/index.ts';
import { LiveFixture, stopped, until } from './liveFixture.ts';

let fixture: LiveFixture;
afterEach(async () => fixture.close());

/** Turns from one coin to the other at every third bar; the share is made of series over both. */
class Turns extends Strategy {
  other = this.feed('other');
  ratio = this.use(div(this.bars.close, this.other.close));
  hedge = this.use(beta(this.bars.close, this.other.close, 5));
  moves = [this.use(roc(this.bars.close, 3)), this.use(roc(this.other.close, 3))];
  place = this.use(rank(this.moves[0]!, this.moves));
  rows = this.keep({ count: 0 });

  override onBar() {
    if (!this.bars.fresh || !this.other.fresh) return;
    const isFirst = Math.floor(this.rows.count++ / 3) % 2 === 0;
    const share = 0.2 + Math.abs(this.ratio.value % 0.1) + Math.min(0.1, Math.abs(this.hedge.value) / 1000) + this.place.value / 100;
    const [mine, theirs] = [this.bars.instrument.wireName, this.other.instrument.wireName];
    if (this.ratio.ready) this.rebalance({ [isFirst ? mine : theirs]: share }, { band: '0.01' });
  }
}

const CONFIG = `strategy: turns.ts
feeds: { bars: { symbol: BTCUSDT, interval: 1m }, other: { symbol: ETHUSDT, interval: 1m } }
cash: { USDT: '10000' }
bars: { graceMs: 30000, delayMs: 100, spreadMs: 100 }
`;
const load: LiveOptions['load'] = async (entry, source) => ({
  plan: strategyPlanOf(entry, { strategy: Turns, name: 'Turns', hash: 'Turns' }, source),
  inputs: [],
  folder: '.',
});

async function turn(waits: number): Promise<void> {
  const opened = await fixture.open(fixture.config(CONFIG), [Turns], { load });
  const { bot } = opened;
  writeBotFile(bot.deps.config.data, botFileOf(opened));
  bot.start();
  const count = () => fixture.lines.filter((line) => line.includes('waits for the end of order')).length;
  const before = count();
  await until(() => count() >= before + waits, 60_000, 'rebalances').catch((error: unknown) => {
    throw new Error(`${String(error)}\n${fixture.lines.join('')}`);
  });
  await stopped(opened);
}

/** The amount of each purchase that waited, and the value of its quantity at the close that was known when it was decided. */
function amounts(records: readonly JournalRecord[]): readonly { readonly asked: string | null; readonly decided: string }[] {
  const close = new Map<string, number>();
  const values = new Map<string, string>();
  return records.flatMap((record) => {
    if (record.k === 'INSTANT') for (const fact of record.bars) close.set(['spot:BTCUSDT', 'spot:ETHUSDT'][fact[0]!]!, fact[5]!);
    if (record.k === 'DRAFT') values.set(record.cid, new Decimal(record.qty!).times(close.get(record.symbol)!).toString());
    if (record.k !== 'INTENT' || !values.has(record.cid)) return [];
    return [{ asked: record.amount === null ? null : new Decimal(record.amount).toString(), decided: values.get(record.cid)! }];
  });
}

test('purchases wait for sales, no order is refused, and a replay of the journal makes the same decisions', async () => {
  fixture = await LiveFixture.open(60);
  await turn(3);
  await turn(2);
  // A busy machine may be late with bars, which halts the bot for a time; a rebalance itself asks for nothing that is refused.
  const ofOrders = /SLOT_BUSY|MARGIN|BAD_INPUT|PRECISION|FP_NOT_UNIQUE|DUPLICATE|LEVERAGE/;
  expect(fixture.lines.filter((line) => line.includes('denied') && ofOrders.test(line))).toEqual([]);
  const data = join(fixture.folder, 'bot');
  const files = readdirSync(join(data, 'journal')).filter((name) => name.endsWith('.jsonl')).toSorted(); // prettier-ignore
  const records = files.flatMap((name) =>
    readFileSync(join(data, 'journal', name), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as JournalRecord),
  );
  const cidOf = (kind: string): readonly string[] => records.flatMap((record) => (record.k === kind && 'cid' in record ? [record.cid as string] : [])); // prettier-ignore
  const [drafted, sent, cancelled] = [cidOf('DRAFT'), cidOf('SEND'), cidOf('CANCEL')];
  expect(drafted.length).toBeGreaterThanOrEqual(5);
  expect(drafted.filter((cid) => sent.includes(cid)).length).toBeGreaterThanOrEqual(drafted.length - 2);
  expect(amounts(records).filter(({ asked, decided }) => asked !== decided)).toEqual([]);
  expect(amounts(records).length).toBeGreaterThanOrEqual(3);
  // What a purchase waits for is to fill: it is never cancelled.
  expect(cancelled).toEqual([]);
  expect((await replayFolder(data, { config: null, load })).difference).toBeNull();
});
