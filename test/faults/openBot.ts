// Opens a live bot in this process whose strategy is a class of a test.

import { strategyPlanOf } from '../../src/definition/load/strategies.ts';
import type { LiveConfig } from '../../src/tasks/bot/config/liveConfig.ts';
import { LiveLog } from '../../src/tasks/bot/run/liveLog.ts';
import { openLiveBot, type LiveOptions, type OpenedBot } from '../../src/tasks/bot/openLiveBot.ts';
import { NoAnswer } from '../../src/tasks/download/marketService.ts';
import { ConfigError } from '../../src/base/errors.ts';
import type { StrategyClass } from '../../src/index.ts';
import { formatTime } from '../../src/model/time.ts';

/** A live bot that records why it broke. */
export type TestBot = OpenedBot & {
  /** Why the bot cannot continue; null while it can. */
  readonly broken: { why: string | null };
};

/** Maximum number of starts. */
const MAX_STARTS = 5;

/** Opens a bot. A start is repeated when the exchange is slow to reply, so `strategy` makes a new class for each start. */
export async function openBot(config: LiveConfig, strategy: () => StrategyClass, notify: (line: string) => void): Promise<TestBot> {
  for (let startsLeft = MAX_STARTS; ; startsLeft--) {
    try {
      return await openOnce(config, strategy(), notify);
    } catch (error) {
      if (startsLeft === 1 || !(error instanceof NoAnswer || error instanceof ConfigError)) throw error;
    }
  }
}

/** Opens a bot, without a second attempt. */
async function openOnce(config: LiveConfig, strategy: StrategyClass, notify: (line: string) => void): Promise<TestBot> {
  const broken: TestBot['broken'] = { why: null };
  const load: LiveOptions['load'] = async (entry, source) => {
    const plan = strategyPlanOf(entry, { strategy, name: 'script', hash: 'script' }, source);
    return { plan, inputs: [], folder: '.' };
  };
  const bot = await openLiveBot(config, {
    log: (nowMs) =>
      new LiveLog({ write: notify, isPretty: true, nowMs, formatTime, removeSecrets: (text) => config.signer.maskText(text) }),
    broken: (why) => (broken.why = why),
    load,
    capacityRows: 4096,
  });
  return { ...bot, broken };
}

/** Stops the bot, waits for its end and closes it. */
export async function closeBot(opened: OpenedBot): Promise<void> {
  await new Promise<void>((resolve) => opened.bot.stop(resolve));
  await opened.close();
}
