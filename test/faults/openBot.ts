// A bot of this process, as `isobar live` makes it, whose strategy is a class of a test.

import { strategyPlanOf } from '../../src/definition/load/strategies.ts';
import type { LiveConfig } from '../../src/tasks/bot/config/read.ts';
import { LiveLog } from '../../src/tasks/bot/run/log.ts';
import { openLiveBot, type LiveOptions, type OpenedBot } from '../../src/tasks/bot/openLiveBot.ts';
import { NoAnswer } from '../../src/tasks/download/service.ts';
import { ConfigError } from '../../src/base/errors.ts';
import type { StrategyClass } from '../../src/index.ts';
import { formatTime } from '../../src/model/time.ts';

export type TestBot = OpenedBot & {
  /** Why it cannot continue; null while it can. */
  readonly broken: { why: string | null };
};

const STARTS = 5;

/** `strategy` makes a new instance for each start, because a start is repeated when the exchange is slow to answer. */
export async function openBot(config: LiveConfig, strategy: () => StrategyClass, notify: (line: string) => void): Promise<TestBot> {
  for (let left = STARTS; ; left--) {
    try {
      return await openOnce(config, strategy(), notify);
    } catch (error) {
      if (left === 1 || !(error instanceof NoAnswer || error instanceof ConfigError)) throw error;
    }
  }
}

async function openOnce(config: LiveConfig, strategy: StrategyClass, notify: (line: string) => void): Promise<TestBot> {
  const broken: TestBot['broken'] = { why: null };
  const load: LiveOptions['load'] = async (entry, source) => {
    const plan = strategyPlanOf(entry, { strategy, name: 'script', hash: 'script' }, source);
    return { plan, inputs: [], folder: '.' };
  };
  const bot = await openLiveBot(config, {
    log: (nowMs) => new LiveLog({ write: notify, isPretty: true, nowMs, formatTime, hide: (text) => config.signer.hideIn(text) }),
    broken: (why) => (broken.why = why),
    load,
    room: 4096,
  });
  return { ...bot, broken };
}

export async function closeBot(opened: OpenedBot): Promise<void> {
  await new Promise<void>((resolve) => opened.bot.stop(resolve));
  await opened.close();
}
