// Tests the replay of a bot's journal: the same code decides the same, also over a restart, and other code is detected.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { botFileOf } from '../../src/tasks/bot/botFile.ts';
import { replayFolder } from '../../src/tasks/bot/decisions/replayFolder.ts';
import { writeBotFile } from '../../src/tasks/control/folder/botFile.ts';
import type { OrderId } from '../../src/model/order.ts';
import { strategyPlanOf } from '../../src/definition/load/strategies.ts';
import { crossedDown, crossedUp, sma, Strategy } from '../../src/index.ts';
import type { StrategyClass } from '../../src/strategy/strategy.ts';
import type { LiveOptions } from '../../src/tasks/bot/openLiveBot.ts';
import { LiveFixture, stopAndClose, until } from './liveFixture.ts';

let fixture: LiveFixture;

/** Makes decisions of every kind: market orders, limits that are cancelled, stops and a timer. */
class EveryDecision extends Strategy {
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
/** The same strategy with a larger size, so that its decisions differ. */
class BuysMore extends EveryDecision {
  override onBar() {
    if (this.position().isFlat) this.buy({ base: '0.02' }, { tag: 'in' });
  }
}

const CONFIG = `strategy: everyDecision.ts
feeds: { bars: { symbol: BTCUSDT, interval: 1m } }
cash: { USDT: '10000' }
risk: { maxOrdersPerMinute: 2 }
bars: { graceMs: 30000, delayMs: 100, spreadMs: 100 }
`;

/** Runs the bot for some bars. */
async function runForBars(bars: number): Promise<void> {
  const opened = await fixture.open(fixture.config(CONFIG), [EveryDecision]);
  const { bot } = opened;
  writeBotFile(bot.deps.config.data, botFileOf(opened));
  const [feed] = bot.deps.engine.feeds;
  const barsAtStart = feed!.bars.length;
  bot.start();
  await until(() => feed!.bars.length >= barsAtStart + bars, 60_000, 'the bars');
  await stopAndClose(opened);
}

/** Returns options that load a strategy under the name of the recorded one. */
function loaderOf(strategy: StrategyClass): LiveOptions['load'] {
  return async (entry, source) => ({
    plan: strategyPlanOf(entry, { strategy, name: 'EveryDecision', hash: 'EveryDecision' }, source),
    inputs: [],
    folder: '.',
  });
}

describe('the journal of a bot that was started twice', () => {
  let dataFolder: string;
  beforeAll(async () => {
    fixture = await LiveFixture.open(60);
    await runForBars(6);
    await runForBars(2);
    dataFolder = join(fixture.folder, 'bot');
  }, 600_000);
  afterAll(() => fixture.close());

  test('a replay over two starts makes every decision again', async () => {
    const replayed = await replayFolder(dataFolder, { config: null, load: loaderOf(EveryDecision) });
    expect(replayed.difference).toBeNull();
    expect(replayed).toMatchObject({ processes: 2 });
    expect(replayed.decisions).toBeGreaterThan(6);
  });

  test('a replay names the first decision that other code makes differently', async () => {
    const { difference } = await replayFolder(dataFolder, { config: null, load: loaderOf(BuysMore) });
    expect(difference?.recorded).toMatch(/^(verdict|order|cancel) /);
    expect(difference?.replayed).not.toBe(difference?.recorded);
  });

  test('a replay of a folder that does not exist is rejected', async () => {
    await expect(replayFolder(join(fixture.folder, 'none'), { config: null })).rejects.toThrow('no such folder');
  });

  test('a replay with another config is rejected, because its decisions cannot be compared', async () => {
    const config = join(fixture.folder, 'other.yaml');
    writeFileSync(config, readFileSync(join(fixture.folder, 'bot.yaml'), 'utf8').replace('maxOrdersPerMinute: 2', 'maxOrdersPerMinute: 3'));
    await expect(replayFolder(dataFolder, { config, load: loaderOf(EveryDecision) })).rejects.toThrow(
      'this is not the config that the bot ran with',
    );
  });

  test('replays leave the journal with one file for each start', () => {
    expect(readdirSync(join(dataFolder, 'journal')).filter((name) => name.endsWith('.jsonl'))).toHaveLength(2);
  });
});
