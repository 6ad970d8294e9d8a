// Tests bars of an interval for which the exchange has no klines: a live bot builds them, and a replay decides the same.

import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { strategyPlanOf } from '../../src/definition/load/strategies.ts';
import { Strategy, type Bar } from '../../src/index.ts';
import { botFileOf } from '../../src/tasks/bot/botFile.ts';
import { replayFolder } from '../../src/tasks/bot/decisions/replayFolder.ts';
import { writeBotFile } from '../../src/tasks/control/folder/botFile.ts';
import { LiveFixture, stopAndClose, until } from './liveFixture.ts';

let fixture: LiveFixture;
afterEach(async () => fixture.close());

const MINUTE_MS = 60_000;

/** The values of a bar. A strategy may not keep the bar itself, because the bot reuses it. */
type BarValues = Pick<Bar, 'openMs' | 'open' | 'high' | 'low' | 'close' | 'volume'>;
/** Returns a copy of the values of a bar. */
const valuesOf = ({ openMs, open, high, low, close, volume }: Bar): BarValues => ({ openMs, open, high, low, close, volume });

/** Records every minute bar, and every bar of three minutes with the minute bars inside it. */
class MinuteRecorder extends Strategy {
  minutes: BarValues[] = [];
  threeMinuteBars: { readonly bar: BarValues; readonly minutes: readonly BarValues[] }[] = [];
  three = this.feed('three');

  override onBar() {
    if (this.bars.fresh) this.minutes.push(valuesOf(this.bars.bar));
    if (!this.three.fresh) return;
    const bar = valuesOf(this.three.bar);
    const endMs = bar.openMs + 3 * MINUTE_MS;
    this.threeMinuteBars.push({ bar, minutes: this.minutes.filter(({ openMs }) => openMs >= bar.openMs && openMs < endMs) });
    if (this.position().isFlat) this.buy({ base: '0.01' });
    else this.exit();
  }
}

const CONFIG = `strategy: minuteRecorder.ts
feeds: { bars: { symbol: BTCUSDT, interval: 1m }, three: { symbol: BTCUSDT, interval: 3m } }
cash: { USDT: '10000' }
bars: { graceMs: 15000, delayMs: 100, spreadMs: 100 }
`;

test('bars of three minutes are built from the bars of their minutes, and a replay makes the same decisions', async () => {
  fixture = await LiveFixture.open(60);
  const strategies: MinuteRecorder[] = [];
  class RecordedInstances extends MinuteRecorder {
    constructor(...args: ConstructorParameters<typeof MinuteRecorder>) {
      super(...args);
      strategies.push(this);
    }
  }
  const opened = await fixture.open(fixture.config(CONFIG), [RecordedInstances]);
  const { bot } = opened;
  writeBotFile(bot.deps.config.data, botFileOf(opened));
  bot.start();
  const completeBars = () => strategies.flatMap(({ threeMinuteBars }) => threeMinuteBars.filter(({ minutes }) => minutes.length === 3));
  await until(() => completeBars().length >= 3, 60_000, 'three bars of three minutes');
  await stopAndClose(opened);
  for (const { bar, minutes } of completeBars()) {
    expect(bar.openMs % (3 * MINUTE_MS)).toBe(0);
    expect(bar).toEqual({
      openMs: minutes[0]!.openMs,
      open: minutes[0]!.open,
      high: Math.max(...minutes.map(({ high }) => high)),
      low: Math.min(...minutes.map(({ low }) => low)),
      close: minutes[2]!.close,
      volume: minutes.reduce((sum, { volume }) => sum + volume, 0),
    });
  }
  const replayed = await replayFolder(join(fixture.folder, 'bot'), {
    config: null,
    load: async (entry, source) => ({
      plan: strategyPlanOf(entry, { strategy: RecordedInstances, name: 'MinuteRecorder', hash: 'MinuteRecorder' }, source),
      inputs: [],
      folder: '.',
    }),
  });
  expect(replayed.difference).toBeNull();
  expect(replayed.decisions).toBeGreaterThan(2);
});

test('bars of seconds are rejected, because the exchange has no finer bars to build them from', async () => {
  fixture = await LiveFixture.open(60);
  const config = fixture.config(CONFIG.replace('interval: 3m', 'interval: 15s'));
  await expect(fixture.open(config, [MinuteRecorder])).rejects.toThrow(
    'BTCUSDT 15s: the exchange has no bars of this interval, and no finer ones to build them from',
  );
});
