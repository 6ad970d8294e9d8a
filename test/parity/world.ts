// A paper exchange whose prices are rows, and live bots over HTTP on it, on one clock that moves when it is told to.

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runExchange, type RunningExchange } from '../../src/app/exchange/runExchange.ts';
import type { ExchangeSettings } from '../../src/app/exchange/settings.ts';
import { LiveLog } from '../../src/app/live/view/log.ts';
import { readLiveConfig } from '../../src/app/live/config/read.ts';
import { openLiveBot, type OpenedBot } from '../../src/app/live/openLiveBot.ts';
import type { RunPlan } from '../../src/app/bot/plan.ts';
import { RowDriver, THINK_MS, type OpenOrders } from './driver.ts';
import { SteppedTime } from './steppedTime.ts';

/** From audit to audit: time goes by so fast that more of them would be most of what is done. */
const AUDIT_MS = 3_600_000;
/** Ms that the start of a bot may take: two audits, some seconds apart. */
const START_MS = 60_000;

export class RowWorld {
  /** In memory where there is such a folder: the disk has tests of its own. */
  readonly folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'isobar-parity-'));
  readonly exchange: RunningExchange;
  readonly time: SteppedTime;

  private constructor(exchange: RunningExchange) {
    this.exchange = exchange;
    this.time = new SteppedTime(exchange);
  }

  static async open(settings: ExchangeSettings): Promise<RowWorld> {
    return new RowWorld(await runExchange(settings, { host: '127.0.0.1', port: 0, controlPort: null, crash: () => {} }));
  }

  async close(): Promise<void> {
    this.time.close();
    await this.exchange.close();
    rmSync(this.folder, { recursive: true });
  }

  /** The bot of a config, with the strategy of `plan` and room for its bars. `tell` takes what it says. */
  openBot(path: string, plan: RunPlan, tell: (line: string) => void): Promise<OpenedBot> {
    const config = readLiveConfig(path, {});
    const orders = { ...config.orders, fastMs: AUDIT_MS, balanceMs: AUDIT_MS };
    // Of an exchange in this process, whose clock stands while it answers, one question tells as much as five.
    const clock = { ...config.clock, samples: 1 };
    const opening = openLiveBot(
      { ...config, orders, clock },
      {
        log: (nowMs) =>
          new LiveLog({
            write: tell,
            isPretty: false,
            nowMs,
            formatTime: (ms) => new Date(ms).toISOString(),
            hide: (text) => text,
            level: 'debug',
          }),
        scheduler: this.time,
        load: () => Promise.resolve({ plan: plan.strategies[0]!, inputs: [], folder: '.' }),
        broken: (why) => {
          throw new Error(`the bot broke: ${why}`);
        },
        room: Math.max(...plan.feeds.map(({ bars }) => bars.length)) + 1,
      },
    );
    return this.#whileTimePasses(opening);
  }

  /** Starts a bot; it trades, and what is returned takes it over the rows. */
  async trading({ bot }: OpenedBot, { fills: { latencyMs } }: RunPlan): Promise<RowDriver> {
    const { time } = this;
    const { rows, sides } = this.exchange.service;
    if (rows === null) throw new Error('the exchange follows no rows');
    bot.start();
    const latestMs = time.nowMs + START_MS;
    await time.quiet();
    while (!bot.isTrading) {
      if (time.nextMs > latestMs) throw new Error('the bot does not begin to trade');
      await time.stepTo(time.nextMs);
    }
    bot.parts.engine.tellsAtInstants = true;
    const { spot, futures } = sides;
    const openOrders = (): OpenOrders => {
      const open = [...(spot?.live() ?? []), ...(futures?.live() ?? [])];
      const waiting = futures?.triggers.pending().length ?? 0;
      return { count: open.length + waiting, filledLots: open.reduce((lots, { live }) => lots + (live?.filledLots ?? 0), 0) };
    };
    return new RowDriver({ bot, time, rows, openOrders, isPrompt: latencyMs === 0 });
  }

  async stop(opened: OpenedBot): Promise<void> {
    const { time } = this;
    const state = { isStopped: false };
    opened.bot.stop(() => (state.isStopped = true));
    const latestMs = time.nowMs + THINK_MS;
    await time.quiet();
    while (!state.isStopped && time.nextMs < latestMs) await time.stepTo(time.nextMs);
    await opened.close();
  }

  /** What waits for time to pass gets it, a thing that is due at a time. */
  async #whileTimePasses<T>(work: Promise<T>): Promise<T> {
    const { time } = this;
    const state = { isDone: false };
    const done = work.finally(() => (state.isDone = true));
    done.catch(() => {});
    for (let step = 0; !state.isDone; step++) {
      await time.quiet();
      if (!state.isDone && time.nextMs < Infinity && step % 50 === 49) await time.stepTo(time.nextMs);
    }
    return done;
  }
}
