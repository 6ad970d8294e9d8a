// Opens, starts and stops a live bot on stepped time, with its exchange in this process or in another one.

import { LiveLog } from '../../src/tasks/bot/run/liveLog.ts';
import { readLiveConfig, type LiveConfig } from '../../src/tasks/bot/config/liveConfig.ts';
import { openLiveBot, type LiveOptions, type OpenedBot } from '../../src/tasks/bot/openLiveBot.ts';
import { PROMPT_TIMES, RowDriver, type ReplyTimes } from './driver.ts';
import type { DrivenRows } from './drivenRows.ts';
import type { SteppedTime } from './steppedTime.ts';

/** Time between two audits, ms. Time passes so fast that more frequent audits would be most of the work. */
const AUDIT_MS = 900_000;
/** Time between two audits of a bot with many symbols, ms. Its audits take longer, and a late audit must not be too old. */
const MANY_SYMBOLS_AUDIT_MS = 300_000;
/** A bot with more symbols than this has many. */
const MANY_SYMBOLS = 8;
/** Time limit for the start of a bot with its two audits, ms of venue time. */
const START_MS = 60_000;

/** The options of a bot on stepped time. */
export interface SteppedBotOptions extends Pick<LiveOptions, 'load' | 'capacityRows'> {
  /** Called with each line of the bot's log. */
  readonly notify: (line: string) => void;
  /** Called when the bot stops because of a fault. */
  readonly broken: (why: string) => void;
  /** Time between the two clean audits of a start, ms. By default that of the config. */
  readonly startGapMs?: number;
  /** When the bot asks for bars. By default the times of the config. They can be longer here than a config allows. */
  readonly times?: ReplyTimes;
}

/** Opens the bot of the config at `path`. Time passes meanwhile. */
export function openSteppedBot(path: string, time: SteppedTime, options: SteppedBotOptions): Promise<OpenedBot> {
  const { notify, startGapMs, times, ...liveOptions } = options;
  const config: LiveConfig = readLiveConfig(path, {});
  const symbolCount = Object.values(config.definition.feeds).reduce((sum, feed) => sum + (feed.symbols?.length ?? 1), 0);
  const auditPeriodMs = symbolCount > MANY_SYMBOLS ? MANY_SYMBOLS_AUDIT_MS : AUDIT_MS;
  const orders = { ...config.orders, fastMs: auditPeriodMs, balanceMs: auditPeriodMs };
  // No time passes while the exchange replies, so one clock sample is as good as five.
  const clock = { ...config.clock, samples: 1 };
  const audit = { ...config.audit, startGapMs: startGapMs ?? config.audit.startGapMs };
  const bars = times === undefined ? config.bars : { ...config.bars, delayMs: times.delayMs, graceMs: times.graceMs };
  const opening = openLiveBot(
    { ...config, orders, clock, audit, bars },
    {
      ...liveOptions,
      log: (nowMs) =>
        new LiveLog({
          write: notify,
          isPretty: false,
          nowMs,
          formatTime: (ms) => new Date(ms).toISOString(),
          removeSecrets: (text) => text,
          level: 'debug',
        }),
      scheduler: time,
      defersCallbacks: true,
    },
  );
  return whileTimePasses(opening, time);
}

/** The time and the exchange of a bot, which the caller drives. */
export interface SteppedTrading {
  readonly time: SteppedTime;
  readonly rows: DrivenRows;
  /** True if cancels act at once. */
  readonly isPrompt: boolean;
  readonly times?: ReplyTimes;
}

/** Starts a bot and waits until it trades. Returns its driver. */
export async function tradeStepped({ bot }: OpenedBot, trading: SteppedTrading): Promise<RowDriver> {
  const { time, rows, isPrompt, times = PROMPT_TIMES } = trading;
  bot.start();
  const latestMs = time.nowMs + START_MS;
  await time.quiet();
  while (!bot.isTrading) {
    if (time.nextMs > latestMs) throw new Error('the bot does not begin to trade');
    await time.stepTo(time.nextMs);
  }
  bot.deps.engine.defersCallbacks = true;
  return new RowDriver({ bot, time, rows, isPrompt, times });
}

/** Stops and closes the bot. Time passes meanwhile. */
export async function stopStepped(opened: OpenedBot, time: SteppedTime): Promise<void> {
  const state = { isStopped: false };
  opened.bot.stop(() => (state.isStopped = true));
  const latestMs = time.nowMs + PROMPT_TIMES.thinkMs;
  await time.quiet();
  while (!state.isStopped && time.nextMs < latestMs) await time.stepTo(time.nextMs);
  await opened.close();
}

/**
 * Work that takes longer than this seems to wait for venue time, ms of this computer. Work that only computes, such as bundling a strategy,
 * usually takes less.
 */
const MAX_REAL_WORK_MS = 1000;

/** Returns the result of `pending`. While it waits for venue time, moves time from one due callback to the next, by at most START_MS in all. */
async function whileTimePasses<T>(pending: Promise<T>, time: SteppedTime): Promise<T> {
  const state = { isDone: false };
  const settled = pending.finally(() => (state.isDone = true));
  // The caller gets a rejection from the return value. Until then it must not count as unhandled.
  settled.catch(() => {});
  const latestMs = time.nowMs + START_MS;
  let sinceMs = performance.now();
  while (!state.isDone) {
    await time.quiet();
    const mayStillCompute = performance.now() - sinceMs < MAX_REAL_WORK_MS;
    if (state.isDone || mayStillCompute || time.nextMs > latestMs) continue;
    await time.stepTo(time.nextMs);
    sinceMs = performance.now();
  }
  return settled;
}
