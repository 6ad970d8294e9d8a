// Bars of lengths that the exchange has no klines of: a live bot builds them, and a replay of its journal decides the same.

import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { strategyPlanOf } from '../../src/definition/load/strategies.ts';
import { Strategy } from '../../src/index.ts';
import { botFileOf } from '../../src/tasks/bot/botFile.ts';
import { replayFolder } from '../../src/tasks/bot/decisions/folder.ts';
import { writeBotFile } from '../../src/tasks/control/folder/botFile.ts';
import { LiveFixture, stopped, until } from './liveFixture.ts';

let fixture: LiveFixture;
afterEach(async () => fixture.close());

const MINUTE = 60_000;
type Row = readonly [openMs: number, open: number, high: number, low: number, close: number, volume: number];
const rowOf = ({ openMs, open, high, low, close, volume }: { openMs: number; open: number; high: number; low: number; close: number; volume: number }): Row => [openMs, open, high, low, close, volume]; // prettier-ignore

/** Keeps every minute that it sees, and every bar of three with the minutes from which it must have been made. */
class Minutes extends Strategy {
  minutes: Row[] = [];
  made: { readonly bar: Row; readonly minutes: readonly Row[] }[] = [];
  three = this.feed('three');

  override onBar() {
    if (this.bars.fresh) this.minutes.push(rowOf(this.bars.bar));
    if (!this.three.fresh) return;
    const bar = rowOf(this.three.bar);
    this.made.push({ bar, minutes: this.minutes.filter(([openMs]) => openMs >= bar[0] && openMs < bar[0] + 3 * MINUTE) });
    if (this.position().isFlat) this.buy({ base: '0.01' });
    else this.exit();
  }
}

const CONFIG = `strategy: minutes.ts
feeds: { bars: { symbol: BTCUSDT, interval: 1m }, three: { symbol: BTCUSDT, interval: 3m } }
cash: { USDT: '10000' }
bars: { graceMs: 15000, delayMs: 100, spreadMs: 100 }
`;

test('bars of three minutes are those of their minutes, and a replay decides the same', async () => {
  fixture = await LiveFixture.open(60);
  const strategies: Minutes[] = [];
  class Noted extends Minutes {
    constructor(...given: ConstructorParameters<typeof Minutes>) {
      super(...given);
      strategies.push(this);
    }
  }
  const it = await fixture.open(fixture.config(CONFIG), [Noted]);
  const { bot } = it;
  writeBotFile(bot.deps.config.data, botFileOf(it));
  bot.start();
  const whole = () => strategies.flatMap(({ made }) => made.filter(({ minutes }) => minutes.length === 3));
  await until(() => whole().length >= 3, 60_000, 'three bars of three minutes');
  await stopped(it);
  for (const { bar, minutes } of whole()) {
    expect(bar[0] % (3 * MINUTE)).toBe(0);
    expect(bar).toEqual([
      minutes[0]![0],
      minutes[0]![1],
      Math.max(...minutes.map((row) => row[2])),
      Math.min(...minutes.map((row) => row[3])),
      minutes[2]![4],
      minutes[0]![5] + minutes[1]![5] + minutes[2]![5],
    ]);
  }
  const replayed = await replayFolder(join(fixture.folder, 'bot'), {
    config: null,
    load: async (entry, source) => ({
      plan: strategyPlanOf(entry, { strategy: Noted, name: 'Noted', hash: 'Noted' }, source),
      inputs: [],
      folder: '.',
    }),
  });
  expect(replayed.difference).toBeNull();
  expect(replayed.decisions).toBeGreaterThan(2);
});

test('bars of seconds are refused, for the exchange has none that make them', async () => {
  fixture = await LiveFixture.open(60);
  const config = fixture.config(CONFIG.replace('interval: 3m', 'interval: 15s'));
  await expect(fixture.open(config, [Minutes])).rejects.toThrow(
    'BTCUSDT 15s: the exchange has no bars of this interval, and no finer ones to build them from',
  );
});
