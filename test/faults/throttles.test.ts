// The rules that stop a bot that does too much or knows too little: fault runs switch them off; here each acts at its default, over real
// sockets.

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { readLiveConfig } from '../../src/tasks/bot/config/read.ts';
import { Strategy, type StrategyClass } from '../../src/index.ts';
import { closeBot, openBot, type TestBot } from './openBot.ts';
import { PaperExchange, type FaultRow } from './paperExchange.ts';
import { writeBot, writeExchange } from './setUp.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** Waits are short, and a busy computer is slow. */
const SPEED = 10;
const MAX_MS = 90_000;
/** A bot that went on would have sent hundreds. */
const LATER_MS = 1000;

/** Another order of each symbol every second: one that rests permanently, or one that takes. */
function eager(isTaking: boolean): StrategyClass {
  return class Eager extends Strategy {
    symbols = this.feeds('bars');
    #turn = 0;

    override onStart() {
      this.every('1s', () => this.onBar());
    }

    override onBar() {
      this.#turn++;
      for (const feed of this.symbols) {
        const limit = feed.close.value * (0.9 - this.#turn / 10_000);
        this.buy({ quote: 100 }, { feed, tag: String(this.#turn), ...(isTaking ? {} : { limit }) });
      }
    }
  };
}

const create = 'spot.newOrder';
const lost: FaultRow = { point: 'NET.respDrop', op: create, p: 1 };
const inDoubt: FaultRow = { point: 'BUS.unknown', op: create, p: 1, params: { executed: 1, code: -1007 } };
const refused: FaultRow = { point: 'GW.code', op: create, p: 1, params: { code: -2017 } };

interface Throttle {
  readonly code: string;
  readonly risk?: Readonly<Record<string, number>>;
  readonly schedule?: readonly FaultRow[];
  readonly isTaking?: boolean;
  /** What the bot says of it. */
  readonly message: RegExp;
  /** What is counted, and how far; otherwise orders that leave, however many had left before. */
  readonly max?: { readonly of: (bot: TestBot) => number; readonly count: number };
}

const sent = ({ counts }: TestBot): number => counts.sent;
const open = ({ bot }: TestBot): number => bot.deps.engine.orders.active().length;

/** Defaults of the catalogue of risk rules; of a bot those whose keys are not named are off, but for the first. */
const THROTTLES: readonly Throttle[] = [
  { code: 'INCIDENT', schedule: [inDoubt], message: /3 answers without a known outcome within 300 s/ },
  {
    code: 'UNKNOWN_BUDGET',
    risk: { maxUnknown: 3 },
    schedule: [lost],
    message: /4 orders are of unknown outcome, at most 3|more than 3 outcomes were unknown/,
  },
  { code: 'REPEAT', risk: { maxFillsPerMinute: 20 }, isTaking: true, message: /more than 20 executions within a minute/ },
  { code: 'REPEAT', risk: { maxRejectsPerMinute: 10 }, schedule: [refused], message: /more than 10 refusals within a minute/ },
  {
    code: 'MESSAGE_RATE',
    risk: { maxOrdersPerFill: 50 },
    message: /50 orders and 0 fills of the strategy in the last hour/,
    max: { of: sent, count: 50 },
  },
  { code: 'OPEN_ORDERS', risk: { maxOpenOrdersTotal: 200 }, message: /code=OPEN_ORDERS/, max: { of: open, count: 200 } },
];

const named = THROTTLES.map((throttle) => ({ ...throttle, name: [throttle.code, ...Object.keys(throttle.risk ?? {})].join(' ') }));

test.concurrent.each(named)('$name', { timeout: 2 * MAX_MS }, async ({ code, risk, schedule = [], isTaking = false, message, max }) => {
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'isobar-throttles-'));
  const fault = { name: code, market: 'spot', schedule } as const;
  const exchange = await PaperExchange.open(ROOT, writeExchange(folder, fault, 1), null, SPEED);
  const lines: string[] = [];
  const config = readLiveConfig(writeBot(folder, fault, exchange.url, SPEED, risk ? { risk } : {}), {});
  try {
    const opened = await openBot(
      config,
      () => eager(isTaking),
      (line) => lines.push(line),
    );
    try {
      const isStopped = (): boolean => message.test(whyOf(opened, code) ?? '') || lines.some((line) => message.test(line));
      await exchange.faults(1, schedule);
      opened.bot.start();
      await until(isStopped, () => `${code}: ${whyOf(opened, code) ?? 'no halt'}\n${lines.slice(-20).join('')}`);
      const { of, count } = max ?? { of: sent, count: Infinity };
      expect(await still(() => of(opened))).toBeLessThanOrEqual(count);
    } finally {
      await closeBot(opened);
    }
  } finally {
    await exchange.close();
    rmSync(folder, { recursive: true });
  }
});

const whyOf = ({ bot }: TestBot, code: string): string | undefined =>
  bot.deps.engine.risk.halts.causes().find((cause) => cause.code === code)?.why;

async function until(holds: () => boolean, why: () => string): Promise<void> {
  const endMs = performance.now() + MAX_MS;
  while (!holds()) {
    if (performance.now() > endMs) throw new Error(`it did not come within ${MAX_MS} ms: ${why()}`);
    await pause(20);
  }
}

/** Returns the count once it no longer changes, after everything on its way has ended. Throws if it keeps growing. */
async function still(count: () => number): Promise<number> {
  let [before, now] = [NaN, count()];
  const endMs = performance.now() + MAX_MS / 2;
  while (before !== now) {
    if (performance.now() > endMs) throw new Error(`it goes on: ${now} by now`);
    await pause(LATER_MS);
    [before, now] = [now, count()];
  }
  return now;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));
