// Cancel and replace with one tag, live over real HTTP: every bar another price, nothing refused, and the journal decides the same once more.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { JournalRecord } from '../../src/adapters/journal/records/records.ts';
import { writeBotFile } from '../../src/tasks/control/folder/botFile.ts';
import { strategyPlanOf } from '../../src/definition/load/strategies.ts';
import { botFileOf } from '../../src/tasks/bot/botFile.ts';
import type { LiveOptions } from '../../src/tasks/bot/openLiveBot.ts';
import { replayFolder } from '../../src/tasks/bot/decisions/folder.ts';
import { Strategy } from '../../src/index.ts';
import { LiveFixture, stopped, until } from './liveFixture.ts';

let fixture: LiveFixture;
afterEach(async () => fixture.close());

/** Two rungs below the price; at each bar both are cancelled and follow it, with their tags. */
class Ladder extends Strategy {
  row = 0;
  override onBar() {
    this.row++;
    for (const [at, tag] of ['upper', 'lower'].entries()) {
      const rungs = this.openOrders().filter((order) => order.tag === tag);
      if (rungs.some(({ lifecycle }) => lifecycle === 'draft')) continue;
      for (const { id } of rungs) this.cancel(id);
      this.buy({ base: '0.001' }, { limit: this.bars.close.value * (0.9 - at / 10 - (this.row % 5) / 1000), tag });
    }
  }
}

const CONFIG = `strategy: ladder.ts
feeds: { bars: { symbol: BTCUSDT, interval: 1m } }
cash: { USDT: '10000' }
bars: { graceMs: 30000, delayMs: 100, spreadMs: 100 }
`;
const load: LiveOptions['load'] = async (entry, source) => ({
  plan: strategyPlanOf(entry, { strategy: Ladder, name: 'Ladder', hash: 'Ladder' }, source),
  inputs: [],
  folder: '.',
});

async function ladder(drafts: number): Promise<void> {
  const opened = await fixture.open(fixture.config(CONFIG), [Ladder], { load });
  const { bot } = opened;
  writeBotFile(bot.deps.config.data, botFileOf(opened));
  bot.start();
  const waits = () => fixture.lines.filter((line) => line.includes('waits for the end of order')).length;
  const before = waits();
  await until(() => waits() >= before + drafts, 60_000, 'replacements').catch((error: unknown) => {
    throw new Error(`${String(error)}\n${fixture.lines.join('')}`);
  });
  await stopped(opened);
}

test('a ladder whose rungs are replaced at every bar is refused nothing, over two starts, and is replayed the same', async () => {
  fixture = await LiveFixture.open(60);
  await ladder(8);
  await ladder(4);
  // At 60 times the speed a stall of this computer makes the exchange's clock uncertain, which is no matter of replacements.
  const denied = fixture.lines.filter((line) => line.includes('denied') && !line.includes('code=CLOCK'));
  expect(denied).toEqual([]);
  const data = join(fixture.folder, 'bot');
  const files = readdirSync(join(data, 'journal')).filter((name) => name.endsWith('.jsonl')).toSorted(); // prettier-ignore
  const records = files.flatMap((name) =>
    readFileSync(join(data, 'journal', name), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as JournalRecord),
  );
  const cidOf = (kind: string): readonly string[] => records.flatMap((record) => (record.k === kind && 'cid' in record ? [record.cid as string] : [])); // prettier-ignore
  const [drafted, sent] = [cidOf('DRAFT'), cidOf('SEND')];
  expect(drafted.length).toBeGreaterThanOrEqual(12);
  // All but what still waited as a process ended was sent.
  expect(drafted.filter((cid) => sent.includes(cid)).length).toBeGreaterThanOrEqual(drafted.length - 4);
  expect((await replayFolder(data, { config: null, load })).difference).toBeNull();
});
