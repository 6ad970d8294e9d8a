// Tests a live bot that replaces its limits at every bar over HTTP: no order is denied, and a replay decides the same.

import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { writeBotFile } from '../../src/tasks/control/folder/botFile.ts';
import { strategyPlanOf } from '../../src/definition/load/strategies.ts';
import { botFileOf } from '../../src/tasks/bot/botFile.ts';
import type { LiveOptions } from '../../src/tasks/bot/openLiveBot.ts';
import { replayFolder } from '../../src/tasks/bot/decisions/replayFolder.ts';
import { Strategy } from '../../src/index.ts';
import { LiveFixture, stopAndClose, until } from './liveFixture.ts';
import { lostAfterWait, OWN_DENIALS, recordsSoFar, sentAfterWait } from './waitingOrders.ts';

let fixture: LiveFixture;
afterEach(async () => fixture.close());

/** Keeps two limits below the price. At each bar it cancels both and places them again, with the same tags. */
class Ladder extends Strategy {
  row = 0;
  override onBar() {
    this.row++;
    for (const [rungIndex, tag] of ['upper', 'lower'].entries()) {
      const rungs = this.openOrders().filter((order) => order.tag === tag);
      if (rungs.some(({ lifecycle }) => lifecycle === 'draft')) continue;
      for (const { id } of rungs) this.cancel(id);
      this.buy({ base: '0.001' }, { limit: this.bars.close.value * (0.9 - rungIndex / 10 - (this.row % 5) / 1000), tag });
    }
  }
}

const CONFIG = `strategy: ladder.ts
feeds: { bars: { symbol: BTCUSDT, interval: 1m } }
cash: { USDT: '10000' }
bars: { graceMs: 30000, delayMs: 100, spreadMs: 100 }
`;
/** Loads the class of this test in place of a strategy file. */
const load: LiveOptions['load'] = async (entry, source) => ({
  plan: strategyPlanOf(entry, { strategy: Ladder, name: 'Ladder', hash: 'Ladder' }, source),
  inputs: [],
  folder: '.',
});

/** Runs the bot until the given number of replacements has waited for the old order and was sent. */
async function runUntilReplaced(replacements: number): Promise<void> {
  const opened = await fixture.open(fixture.config(CONFIG), [Ladder], { load });
  const { bot } = opened;
  writeBotFile(bot.deps.config.data, botFileOf(opened));
  bot.start();
  const sentCount = () => sentAfterWait(recordsSoFar(join(fixture.folder, 'bot')));
  const countAtStart = sentCount();
  await until(() => sentCount() >= countAtStart + replacements, 60_000, 'replacements').catch((error: unknown) => {
    throw new Error(`${String(error)}\n${fixture.lines.join('')}`);
  });
  await stopAndClose(opened);
}

test('a ladder that is replaced at every bar has no denied order over two starts, and is replayed the same', async () => {
  fixture = await LiveFixture.open(60);
  await runUntilReplaced(8);
  await runUntilReplaced(4);
  const dataFolder = join(fixture.folder, 'bot');
  expect(fixture.lines.filter((line) => line.includes('denied') && OWN_DENIALS.test(line))).toEqual([]);
  // Two may wait at the end of each process.
  expect(lostAfterWait(recordsSoFar(dataFolder), fixture.lines)).toBeLessThanOrEqual(4);
  expect((await replayFolder(dataFolder, { config: null, load })).difference).toBeNull();
});
