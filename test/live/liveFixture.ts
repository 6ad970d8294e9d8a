// Runs a paper exchange in this process behind HTTP, and live bots on it, for tests.

import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { demoKey, demoSettings } from '../../src/paperExchange/process/demo.ts';
import { runExchange, type RunningExchange } from '../../src/paperExchange/process/runExchange.ts';
import { readLiveConfig, type LiveConfig } from '../../src/tasks/bot/config/liveConfig.ts';
import { LiveLog } from '../../src/tasks/bot/run/liveLog.ts';
import { openLiveBot, type LiveOptions, type OpenedBot } from '../../src/tasks/bot/openLiveBot.ts';
import { strategyPlanOf } from '../../src/definition/load/strategies.ts';
import type { StrategyClass } from '../../src/strategy/strategy.ts';
import { formatTime } from '../../src/model/time.ts';

/** The exchange and the folder of one test, with the log lines of its bots. */
export class LiveFixture {
  readonly folder = mkdtempSync(join(tmpdir(), 'isobar-live-'));
  /** Log lines of all bots. */
  readonly lines: string[] = [];
  /** Why bots have stopped because of a fault. */
  readonly broken: string[] = [];
  readonly exchange: RunningExchange;
  readonly #speed: number;
  readonly #openedBots: OpenedBot[] = [];

  private constructor(exchange: RunningExchange, speed: number) {
    this.exchange = exchange;
    this.#speed = speed;
    const key = demoKey(1);
    writeFileSync(join(this.folder, 'key'), `${key.apiKey}\n`, { mode: 0o600 });
    writeFileSync(join(this.folder, 'secret'), `${key.secret}\n`, { mode: 0o600 });
    mkdirSync(join(this.folder, 'bot'), { mode: 0o700 });
    chmodSync(join(this.folder, 'bot'), 0o700);
  }

  /** Starts an exchange whose clock runs `speed` times as fast: the demo, or one of other settings with the key of the demo. */
  static async open(speed = 60, settings = demoSettings(1)): Promise<LiveFixture> {
    const exchange = await runExchange(settings, { host: '127.0.0.1', port: 0, controlPort: null, crash: () => {} });
    exchange.clock.setSpeed(speed);
    return new LiveFixture(exchange, speed);
  }

  /** Writes and reads a config for the demo account. `keys` is YAML of further keys, `exchangeKeys` of keys of the exchange. */
  config(keys: string, exchangeKeys = ''): LiveConfig {
    const { url } = this.exchange;
    const file = join(this.folder, 'bot.yaml');
    const exchange = `{ spotUrl: '${url}', futuresUrl: '${url}', keyFile: key, secretFile: secret${exchangeKeys} }`;
    writeFileSync(file, `exchange: ${exchange}\ntimeScale: ${this.#speed}\n${keys}`);
    return readLiveConfig(file, {});
  }

  /** Opens a bot. `strategies` are the classes of the config's strategies, in its order. */
  async open(config: LiveConfig, strategies: readonly StrategyClass[], options: Partial<LiveOptions> = {}): Promise<OpenedBot> {
    const strategiesToLoad = [...strategies];
    const log = (venueMs: () => number) =>
      new LiveLog({
        write: (line) => this.lines.push(line),
        isPretty: true,
        nowMs: venueMs,
        formatTime,
        removeSecrets: (text) => config.signer.maskText(text),
      });
    const load: LiveOptions['load'] = async (entry, source) => {
      const strategy = strategiesToLoad.shift()!;
      return { plan: strategyPlanOf(entry, { strategy, name: strategy.name, hash: strategy.name }, source), inputs: [], folder: '.' };
    };
    const opened = await openLiveBot(config, { log, broken: (why) => this.broken.push(why), capacityRows: 4096, load, ...options });
    this.#openedBots.push(opened);
    return opened;
  }

  /** Throws the error with the log of the bot. A property, so that it can be passed to `catch`. */
  readonly failWithLog = (error: unknown): never => {
    throw new Error(`${String(error)}\n${this.lines.join('')}`);
  };

  /** Closes the exchange, and first every bot that a failed test has left running. It would send requests during later tests. */
  async close(): Promise<void> {
    for (const opened of this.#openedBots) {
      opened.bot.driver.stop();
      await opened.close();
    }
    await this.exchange.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Least time limit of a wait, ms. It is long, because a busy machine may delay every event. */
const MIN_WAIT_LIMIT_MS = 300_000;

/** Resolves as soon as `condition` is true. Rejects when that takes longer than both `ms` and MIN_WAIT_LIMIT_MS. `awaited` names the condition. */
export async function until(condition: () => boolean, ms = MIN_WAIT_LIMIT_MS, awaited = 'it'): Promise<void> {
  const limitMs = Math.max(ms, MIN_WAIT_LIMIT_MS);
  const endMs = performance.now() + limitMs;
  while (!condition()) {
    if (performance.now() > endMs) throw new Error(`${awaited} did not come within ${limitMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Stops the bot, waits for its end and closes it. */
export function stopAndClose(opened: OpenedBot): Promise<void> {
  return new Promise<void>((resolve) => opened.bot.stop(resolve)).then(() => opened.close());
}
