// A live bot on stepped time: opened, started, taken over rows, stopped, wherever its exchange runs.

import { LiveLog } from '../../src/tasks/bot/run/log.ts';
import { readLiveConfig, type LiveConfig } from '../../src/tasks/bot/config/read.ts';
import { openLiveBot, type LiveOptions, type OpenedBot } from '../../src/tasks/bot/openLiveBot.ts';
import { PROMPT_TIMES, RowDriver, type RowTimes } from './driver.ts';
import type { DrivenRows } from './drivenRows.ts';
import type { SteppedTime } from './steppedTime.ts';

/** Time from audit to audit. Time passes so fast that more audits would be most of the work. */
const AUDIT_MS = 900_000;
/** The same for many symbols: their audits take longer, and a late one must not be older than a bot accepts. */
const LONG_AUDIT_MS = 300_000;
const MANY = 8;
/** Ms that the start of a bot may take: two audits, some seconds apart. */
const START_MS = 60_000;

export interface SteppedBotOptions extends Pick<LiveOptions, 'load' | 'room'> {
  /** Takes what the bot says. */
  readonly notify: (line: string) => void;
  readonly broken: (why: string) => void;
  /** From the first clean audit of a start to the second one; default that of the config. */
  readonly startGapMs?: number;
  /** Default those of the config, which may not be as long. */
  readonly times?: RowTimes;
}

/** The bot of the config at `path`. Time passes while it opens. */
export function openSteppedBot(path: string, time: SteppedTime, options: SteppedBotOptions): Promise<OpenedBot> {
  const { notify, startGapMs, times, ...rest } = options;
  const config: LiveConfig = readLiveConfig(path, {});
  const symbols = Object.values(config.definition.feeds).reduce((sum, feed) => sum + (feed.symbols?.length ?? 1), 0);
  const periodMs = symbols > MANY ? LONG_AUDIT_MS : AUDIT_MS;
  const orders = { ...config.orders, fastMs: periodMs, balanceMs: periodMs };
  // While an exchange answers, its clock stands: one clock sample is as good as five.
  const clock = { ...config.clock, samples: 1 };
  const audit = { ...config.audit, startGapMs: startGapMs ?? config.audit.startGapMs };
  const opening = openLiveBot(
    { ...config, orders, clock, audit, bars: { ...config.bars, ...(times && { delayMs: times.delayMs, graceMs: times.graceMs }) } },
    {
      ...rest,
      log: (nowMs) =>
        new LiveLog({
          write: notify,
          isPretty: false,
          nowMs,
          formatTime: (ms) => new Date(ms).toISOString(),
          hide: (text) => text,
          level: 'debug',
        }),
      scheduler: time,
      defersCallbacks: true,
    },
  );
  return whileTimePasses(opening, time);
}

/** Starts a bot; it trades, and what is returned takes it over the rows. `isPrompt`: cancels act at once. */
export async function tradeStepped(
  { bot }: OpenedBot,
  time: SteppedTime,
  rows: DrivenRows,
  isPrompt: boolean,
  times: RowTimes = PROMPT_TIMES,
): Promise<RowDriver> {
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

export async function stopStepped(opened: OpenedBot, time: SteppedTime): Promise<void> {
  const state = { isStopped: false };
  opened.bot.stop(() => (state.isStopped = true));
  const latestMs = time.nowMs + PROMPT_TIMES.thinkMs;
  await time.quiet();
  while (!state.isStopped && time.nextMs < latestMs) await time.stepTo(time.nextMs);
  await opened.close();
}

/** Work that takes longer than this of the computer's time waits for the exchange's: a strategy that is bundled needs less, as a rule. */
const TIME_LIMIT_MS = 1000;

/** What waits for time to pass gets it, a thing that is due at a time, but no more of it than a start may take. */
async function whileTimePasses<T>(work: Promise<T>, time: SteppedTime): Promise<T> {
  const state = { isDone: false };
  const done = work.finally(() => (state.isDone = true));
  done.catch(() => {});
  const latestMs = time.nowMs + START_MS;
  let sinceMs = performance.now();
  while (!state.isDone) {
    await time.quiet();
    if (state.isDone || performance.now() - sinceMs < TIME_LIMIT_MS || time.nextMs > latestMs) continue;
    await time.stepTo(time.nextMs);
    sinceMs = performance.now();
  }
  return done;
}
