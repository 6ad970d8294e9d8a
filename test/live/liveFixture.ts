// A paper exchange in this process behind real HTTP, and live bots on it, for tests.

import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { demoKey, demoSettings } from '../../src/paperExchange/process/demo.ts';
import { runExchange, type RunningExchange } from '../../src/paperExchange/process/runExchange.ts';
import { readLiveConfig, type LiveConfig } from '../../src/tasks/bot/config/read.ts';
import { LiveLog } from '../../src/tasks/bot/run/log.ts';
import { openLiveBot, type LiveOptions, type OpenedBot } from '../../src/tasks/bot/openLiveBot.ts';
import { strategyPlanOf } from '../../src/definition/load/strategies.ts';
import type { StrategyClass } from '../../src/strategy/strategy.ts';
import { formatTime } from '../../src/model/time.ts';

export class LiveFixture {
  readonly folder = mkdtempSync(join(tmpdir(), 'isobar-live-'));
  readonly lines: string[] = [];
  readonly broken: string[] = [];
  readonly exchange: RunningExchange;
  readonly #speed: number;
  readonly #bots: OpenedBot[] = [];

  private constructor(exchange: RunningExchange, speed: number) {
    this.exchange = exchange;
    this.#speed = speed;
    const key = demoKey(1);
    for (const [name, text] of [
      ['key', key.apiKey],
      ['secret', key.secret],
    ] as const) {
      writeFileSync(join(this.folder, name), `${text}\n`, { mode: 0o600 });
    }
    mkdirSync(join(this.folder, 'bot'), { mode: 0o700 });
    chmodSync(join(this.folder, 'bot'), 0o700);
  }

  static async open(speed = 60): Promise<LiveFixture> {
    const exchange = await runExchange(demoSettings(1), { host: '127.0.0.1', port: 0, controlPort: null, crash: () => {} });
    exchange.clock.setSpeed(speed);
    return new LiveFixture(exchange, speed);
  }

  /** A config of the demonstration's account; `more` is YAML of further keys. */
  config(more: string, exchange = ''): LiveConfig {
    const { url } = this.exchange;
    const file = join(this.folder, 'bot.yaml');
    const at = `{ spotUrl: '${url}', futuresUrl: '${url}', keyFile: key, secretFile: secret${exchange} }`;
    writeFileSync(file, `exchange: ${at}\ntimeScale: ${this.#speed}\n${more}`);
    return readLiveConfig(file, {});
  }

  /** `classes`: the strategies of the config, in its order. */
  async open(config: LiveConfig, classes: readonly StrategyClass[], options: Partial<LiveOptions> = {}): Promise<OpenedBot> {
    const waiting = [...classes];
    const log = (venueMs: () => number) =>
      new LiveLog({
        write: (line) => this.lines.push(line),
        isPretty: true,
        nowMs: venueMs,
        formatTime,
        hide: (text) => config.signer.hideIn(text),
      });
    const load: LiveOptions['load'] = async (entry, source) => {
      const strategy = waiting.shift()!;
      return { plan: strategyPlanOf(entry, { strategy, name: strategy.name, hash: strategy.name }, source), inputs: [], folder: '.' };
    };
    const opened = await openLiveBot(config, { log, broken: (why) => this.broken.push(why), room: 4096, load, ...options });
    this.#bots.push(opened);
    return opened;
  }

  /** Closes the exchange, and before it each bot that a failed test has left running: it would send requests beside the tests after it. */
  async close(): Promise<void> {
    for (const opened of this.#bots) {
      opened.bot.driver.stop();
      await opened.close();
    }
    await this.exchange.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** What does not come in this time never comes. What does comes at once on a machine that is free. */
const STUCK_MS = 300_000;

/** Resolves as soon as `holds`; rejects when it does not within `ms`, or the limit if that is longer. */
export async function until(holds: () => boolean, ms = STUCK_MS, what = 'it'): Promise<void> {
  const limitMs = Math.max(ms, STUCK_MS);
  const endMs = performance.now() + limitMs;
  while (!holds()) {
    if (performance.now() > endMs) throw new Error(`${what} did not come within ${limitMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

export function stopped(opened: OpenedBot): Promise<void> {
  return new Promise<void>((resolve) => opened.bot.stop(resolve)).then(() => opened.close());
}
