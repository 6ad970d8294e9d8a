// Tests a live bot with a finer execution interval: its stops trigger between two bars of the strategy, and a replay decides the same.

import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { writeBotFile } from '../../src/tasks/control/folder/botFile.ts';
import { strategyPlanOf } from '../../src/definition/load/strategies.ts';
import { botFileOf } from '../../src/tasks/bot/botFile.ts';
import { replayFolder } from '../../src/tasks/bot/decisions/replayFolder.ts';
import { Strategy } from '../../src/index.ts';
import { LiveFixture, stopAndClose, until } from './liveFixture.ts';

let fixture: LiveFixture;
afterEach(async () => fixture.close());

const FIVE_MINUTES_MS = 300_000;

/**
 * Sees only bars of five minutes, and protects each entry by a stop that the next minutes almost certainly reach.
 * If they do not, it exits and enters again. Otherwise a price that stays above the stop would keep the test waiting.
 */
class TightStop extends Strategy {
  override onBar() {
    const price = this.bars.close.value;
    if (this.position().isFlat) this.buy({ base: '0.01' }, { stopLoss: price * 0.99999, tag: 'in' });
    else this.exit();
  }
}
const CONFIG = `strategy: tight.ts
feeds: { bars: { symbol: BTCUSDT, interval: 5m } }
cash: { USDT: '10000' }
fills: { inside: 1m }
bars: { graceMs: 30000, delayMs: 100, spreadMs: 100 }
`;

test('a stop triggers between two bars of its strategy, and a replay makes the same decisions', async () => {
  fixture = await LiveFixture.open(30);
  const opened = await fixture.open(fixture.config(CONFIG), [TightStop]);
  const { bot } = opened;
  writeBotFile(bot.deps.config.data, botFileOf(opened));
  expect(bot.deps.engine.feeds.map(({ bars, isExecutionOnly }) => `${bars.interval} ${isExecutionOnly}`)).toEqual(['5m false', '1m true']);
  bot.start();
  // An order of a bar that has just closed fills within its first minute.
  const isBetween = (): boolean => bot.fills.some(({ side, timeMs }) => side === 'sell' && timeMs % FIVE_MINUTES_MS > 60_000);
  await until(isBetween, 80_000, 'a stop between two bars').catch((error: unknown) => {
    throw new Error(`${String(error)}\n${fixture.lines.join('')}`);
  });
  await stopAndClose(opened);
  const replayed = await replayFolder(join(fixture.folder, 'bot'), {
    config: null,
    load: async (entry, source) => ({
      plan: strategyPlanOf(entry, { strategy: TightStop, name: 'Tight', hash: 'Tight' }, source),
      inputs: [],
      folder: '.',
    }),
  });
  expect(replayed.difference).toBeNull();
});

test('an execution interval that does not divide the interval of the strategy is rejected with its place', async () => {
  fixture = await LiveFixture.open(60);
  await expect(
    fixture.open(fixture.config(CONFIG.replace('inside: 1m', 'inside: 1w').replace('interval: 5m', 'interval: 1M')), [TightStop]),
  ).rejects.toThrow(/fills\.inside: expected an interval that divides 1M, got 1w/);
});
