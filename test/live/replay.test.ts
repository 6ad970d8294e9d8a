// A recorded run is decided once more from its journal: the same, over a restart too; and what would be decided otherwise is named.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { botFileOf } from '../../src/tasks/bot/botFile.ts';
import { replayFolder } from '../../src/tasks/bot/decisions/folder.ts';
import { writeBotFile } from '../../src/tasks/control/folder/botFile.ts';
import type { OrderId } from '../../src/model/order.ts';
import { strategyPlanOf } from '../../src/definition/load/strategies.ts';
import { crossedDown, crossedUp, sma, Strategy } from '../../src/index.ts';
import type { StrategyClass } from '../../src/strategy/strategy.ts';
import type { LiveOptions } from '../../src/tasks/bot/openLiveBot.ts';
import { LiveFixture, stopped, until } from './liveFixture.ts';

let fixture: LiveFixture;
afterEach(async () => fixture.close());

/** Market orders, limit orders that rest and are cancelled, stops, a timer: everything that a bot decides. */
class Busy extends Strategy {
  up = this.use(crossedUp(sma(this.bars.close, 2), sma(this.bars.close, 4)));
  down = this.use(crossedDown(sma(this.bars.close, 2), sma(this.bars.close, 4)));
  #resting: OrderId | null = null;
  override onStart() {
    this.every('3m', () => {
      this.#resting = this.buy({ base: '0.001' }, { limit: this.bars.close.value * 0.99, tag: 'rest' });
    });
  }
  override onBar() {
    const price = this.bars.close.value;
    if (this.position().isFlat) this.buy({ base: '0.01' }, { stopLoss: price * 0.9995, tag: 'in' });
    else if (this.down.value || this.up.value) this.exit();
    if (this.#resting !== null) this.cancel(this.#resting);
    this.#resting = null;
  }
}
class Greedier extends Busy {
  override onBar() {
    if (this.position().isFlat) this.buy({ base: '0.02' }, { tag: 'in' });
  }
}

const CONFIG = `strategy: busy.ts
feeds: { bars: { symbol: BTCUSDT, interval: 1m } }
cash: { USDT: '10000' }
risk: { maxOrdersPerMinute: 2 }
bars: { graceMs: 30000, delayMs: 100, spreadMs: 100 }
`;

async function record(bars: number): Promise<void> {
  const opened = await fixture.open(fixture.config(CONFIG), [Busy]);
  const { bot } = opened;
  writeBotFile(bot.deps.config.data, botFileOf(opened));
  const [feed] = bot.deps.engine.feeds;
  const before = feed!.bars.length;
  bot.start();
  await until(() => feed!.bars.length >= before + bars, 60_000, 'the bars');
  await stopped(opened);
}

function loading(strategy: StrategyClass): LiveOptions['load'] {
  return async (entry, source) => ({
    plan: strategyPlanOf(entry, { strategy, name: 'Busy', hash: 'Busy' }, source),
    inputs: [],
    folder: '.',
  });
}

test('every decision is the same, over two starts; other code is found out', async () => {
  fixture = await LiveFixture.open(60);
  await record(6);
  await record(2);
  const data = join(fixture.folder, 'bot');
  const same = await replayFolder(data, { config: null, load: loading(Busy) });
  expect(same.difference).toBeNull();
  expect(same).toMatchObject({ processes: 2 });
  expect(same.decisions).toBeGreaterThan(6);
  const other = await replayFolder(data, { config: null, load: loading(Greedier) });
  expect(other.difference?.recorded).toMatch(/^(verdict|order|cancel) /);
  expect(other.difference?.replayed).not.toBe(other.difference?.recorded);
  await expect(replayFolder(join(fixture.folder, 'none'), { config: null })).rejects.toThrow('no such folder');
  // A bar that was another: some decision on it, or after it, is another one or none.
  const config = join(fixture.folder, 'other.yaml');
  writeFileSync(config, readFileSync(join(fixture.folder, 'bot.yaml'), 'utf8').replace('maxOrdersPerMinute: 2', 'maxOrdersPerMinute: 3'));
  await expect(replayFolder(data, { config, load: loading(Busy) })).rejects.toThrow('this is not the config that the bot ran with');
  expect(readdirSync(join(data, 'journal')).filter((name) => name.endsWith('.jsonl'))).toHaveLength(2);
});
