// Tests the risk rules that stop a bot with too many orders, fills, refusals or unknown outcomes, each at its default limit.

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { readLiveConfig } from '../../src/tasks/bot/config/liveConfig.ts';
import { Strategy, type StrategyClass } from '../../src/index.ts';
import { closeBot, openBot, type TestBot } from './openBot.ts';
import { PaperExchange, type FaultRow } from './paperExchange.ts';
import { writeBot, writeExchange } from './setUp.ts';
import { pause } from '../fixtures/pause.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** Venue time passes ten times as fast, so that waits are short. */
const SPEED = 10;
/** Time limit of each wait, ms. */
const MAX_MS = 90_000;
/** Time between two counts, ms. A bot that is not stopped sends hundreds of orders in it. */
const COUNT_PERIOD_MS = 1000;

/** Returns a strategy that sends an order of each symbol every second: a market order, or a limit that never fills. */
function orderEverySecond(role: 'market' | 'limit'): StrategyClass {
  return class OrderEverySecond extends Strategy {
    symbols = this.feeds('bars');
    #orderNumber = 0;

    override onStart() {
      this.every('1s', () => this.onBar());
    }

    override onBar() {
      this.#orderNumber++;
      for (const feed of this.symbols) {
        const limit = feed.close.value * (0.9 - this.#orderNumber / 10_000);
        this.buy({ quote: 100 }, { feed, tag: String(this.#orderNumber), ...(role === 'limit' && { limit }) });
      }
    }
  };
}

const CREATE_OP = 'spot.newOrder';
const LOST_REPLY: FaultRow = { point: 'NET.respDrop', op: CREATE_OP, p: 1 };
const UNKNOWN_OUTCOME: FaultRow = { point: 'BUS.unknown', op: CREATE_OP, p: 1, params: { executed: 1, code: -1007 } };
const REFUSED_CREATE: FaultRow = { point: 'GW.code', op: CREATE_OP, p: 1, params: { code: -2017 } };

/** A rule, and the conditions under which the bot exceeds its limit. */
interface Throttle {
  readonly code: string;
  readonly risk?: Readonly<Record<string, number>>;
  readonly schedule?: readonly FaultRow[];
  /** The role of the bot's orders. By default limits that never fill. */
  readonly role?: 'market' | 'limit';
  /** Matches the halt reason or the log line of the rule. */
  readonly message: RegExp;
  /** The count that the rule limits, and its maximum. Without it, the number of sent orders must only stop growing. */
  readonly limit?: { readonly countOf: (bot: TestBot) => number; readonly max: number };
}

const sentOrders = ({ counts }: TestBot): number => counts.sent;
const openOrders = ({ bot }: TestBot): number => bot.deps.engine.orders.active().length;

/** The rules with their default limits. All but the first are off in a bot unless the config names them. */
const THROTTLES: readonly Throttle[] = [
  { code: 'INCIDENT', schedule: [UNKNOWN_OUTCOME], message: /3 answers without a known outcome within 300 s/ },
  {
    code: 'UNKNOWN_BUDGET',
    risk: { maxUnknown: 3 },
    schedule: [LOST_REPLY],
    message: /4 orders are of unknown outcome, at most 3|more than 3 outcomes were unknown/,
  },
  { code: 'REPEAT', risk: { maxFillsPerMinute: 20 }, role: 'market', message: /more than 20 executions within a minute/ },
  { code: 'REPEAT', risk: { maxRejectsPerMinute: 10 }, schedule: [REFUSED_CREATE], message: /more than 10 refusals within a minute/ },
  {
    code: 'MESSAGE_RATE',
    risk: { maxOrdersPerFill: 50 },
    message: /50 orders and 0 fills of the strategy in the last hour/,
    limit: { countOf: sentOrders, max: 50 },
  },
  { code: 'OPEN_ORDERS', risk: { maxOpenOrdersTotal: 200 }, message: /code=OPEN_ORDERS/, limit: { countOf: openOrders, max: 200 } },
];

const namedThrottles = THROTTLES.map((throttle) => ({ ...throttle, name: [throttle.code, ...Object.keys(throttle.risk ?? {})].join(' ') }));

test.concurrent.each(namedThrottles)(
  'the rule $name stops a bot that exceeds its limit',
  { timeout: 2 * MAX_MS },
  async ({ code, risk, schedule = [], role = 'limit', message, limit }) => {
    const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'isobar-throttles-'));
    const fault = { name: code, market: 'spot', schedule } as const;
    const exchange = await PaperExchange.open(ROOT, writeExchange(folder, fault, 1), null, SPEED);
    const lines: string[] = [];
    const config = readLiveConfig(writeBot(folder, fault, exchange.url, SPEED, risk ? { risk } : {}), {});
    try {
      const opened = await openBot(
        config,
        () => orderEverySecond(role),
        (line) => lines.push(line),
      );
      try {
        const isStopped = (): boolean => message.test(haltReason(opened, code) ?? '') || lines.some((line) => message.test(line));
        await exchange.faults(1, schedule);
        opened.bot.start();
        await until(isStopped, () => `${code}: ${haltReason(opened, code) ?? 'no halt'}\n${lines.slice(-20).join('')}`);
        const { countOf, max } = limit ?? { countOf: sentOrders, max: Infinity };
        expect(await finalCount(() => countOf(opened))).toBeLessThanOrEqual(max);
      } finally {
        await closeBot(opened);
      }
    } finally {
      await exchange.close();
      rmSync(folder, { recursive: true });
    }
  },
);

/** Returns the reason of the halt with this code. */
const haltReason = ({ bot }: TestBot, code: string): string | undefined =>
  bot.deps.engine.risk.halts.causes().find((cause) => cause.code === code)?.why;

/** Waits until `condition` is true. Throws with `state` after MAX_MS. */
async function until(condition: () => boolean, state: () => string): Promise<void> {
  const endMs = performance.now() + MAX_MS;
  while (!condition()) {
    if (performance.now() > endMs) throw new Error(`the bot was not stopped within ${MAX_MS} ms: ${state()}`);
    await pause(20);
  }
}

/** Returns the count once it no longer changes, after everything on its way has ended. Throws if it keeps growing. */
async function finalCount(count: () => number): Promise<number> {
  let previousCount = NaN;
  let currentCount = count();
  const endMs = performance.now() + MAX_MS / 2;
  while (previousCount !== currentCount) {
    if (performance.now() > endMs) throw new Error(`the count still grows: ${currentCount} by now`);
    await pause(COUNT_PERIOD_MS);
    previousCount = currentCount;
    currentCount = count();
  }
  return currentCount;
}
