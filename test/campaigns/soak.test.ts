// Tests a busy day with faults at sixty times real time: memory stays constant, nothing stays unresolved, and no limit is exceeded.
// `npm run campaign -- soak --cases 60` takes 60 minutes, and then measures an idle bot that only follows one symbol.

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { sendAct, askView } from '../../src/tasks/control/controlClient.ts';
import type { FaultRow } from '../faults/paperExchange.ts';
import { BotWorld, type BotProcess } from '../kills/botWorld.ts';
import { median, theilSen } from '../kills/slope.ts';
import { pause } from '../fixtures/pause.ts';

const { ISOBAR_CASES, ISOBAR_SEED } = process.env;
const SEED = Number(ISOBAR_SEED ?? 1);
const MINUTES = Math.min(Number(ISOBAR_CASES ?? 0), 60);
/** Seconds of the idle test for each minute of soaking. */
const IDLE_S_PER_MINUTE = 5;
/** Times real time. */
const SPEED = 60;
/** How often the bot is sampled, ms of this computer. */
const SAMPLE_MS = 2000;
/** The limits of the bot: open orders, and the value of the holding of each symbol in USDT. */
const MAX_OPEN_ORDERS = 24;
const MAX_SYMBOL_VALUE = 20_000;
/** The share of the run that is not measured, because memory grows while a process warms up. */
const WARM_UP_SHARE = 1 / 3;
/** Time limit for the start, and for the bot to come to rest, ms of this computer. */
const MAX_REST_MS = 120_000;
const BYTES_PER_MB = 2 ** 20;

const CREATE = 'spot.newOrder';
const FAULTS: readonly FaultRow[] = [
  { point: 'NET.reqDrop', op: CREATE, p: 0.005 },
  { point: 'NET.respDrop', op: CREATE, p: 0.01 },
  { point: 'NET.truncate', p: 0.002, params: { bytes: 7 } },
  { point: 'BUS.unknown', op: CREATE, p: 0.01, params: { executed: 1, code: -1006 } },
  { point: 'BUS.cancelDelay', op: 'spot.cancelOrder', p: 0.05, params: { ms: 10_000 } },
  { point: 'NET.reqDrop', p: 0.001 },
  { point: 'READ.lag', op: 'spot.openOrders', p: 0.005, params: { ms: 2000 } },
];

it.runIf(MINUTES > 0)(
  `a bot keeps its memory, limits and orders for ${MINUTES} minutes at ${SPEED}x (seed ${SEED})`,
  { timeout: 7_200_000 },
  async () => {
    const risk = { maxOpenOrdersTotal: MAX_OPEN_ORDERS, maxPositionNotional: String(MAX_SYMBOL_VALUE) };
    const world = await BotWorld.open({
      seed: SEED,
      market: 'spot',
      symbols: 4,
      speed: SPEED,
      more: { risk, params: { seed: SEED, pace: 30 } },
    });
    const bot = await world.startBot(MAX_REST_MS);
    try {
      await world.faults(FAULTS);
      const day = await soak(world, bot);
      await world.faults([]);
      await sendAct(world.data, { op: 'halt', scope: 'account', state: 'CANCEL_ONLY', why: 'the day is over' });
      const { unknown, counts } = await world.until(bot, 'the end of what is unknown', MAX_REST_MS, (view) => view.unknown.length === 0);
      await world.agreed(bot, MAX_REST_MS);
      const { rssMb, slopeMb, loopMs, worstLoopMs, breaches, halts } = day;
      const figures = [
        `${counts.ordersSent} orders, ${counts.fills} fills, ${counts.unknowns} unknown outcomes, ${unknown.length} unresolved`,
        `RSS ${rssMb.toFixed(0)} MB, ${slopeMb >= 0 ? '+' : ''}${slopeMb.toFixed(2)} MB per 10 minutes`,
        `event loop p99 ${loopMs.toFixed(1)} ms, worst minute ${worstLoopMs.toFixed(1)} ms`,
        `${breaches.length} limits broken`,
        `halts ${halts.length === 0 ? 'none' : halts.join(', ')}`,
      ];
      console.log(`${MINUTES} minutes: ${figures.join('; ')}`);
      expect(breaches).toEqual([]);
      expect(slopeMb).toBeLessThanOrEqual(1);
      expect(loopMs).toBeLessThan(20);
    } finally {
      await bot.kill();
      await world.close();
    }
  },
);

/** The measured day. */
interface MeasuredDay {
  /** Growth of memory in 10 minutes, by the Theil-Sen estimator over the last two thirds. */
  readonly slopeMb: number;
  /** Memory at the end. */
  readonly rssMb: number;
  /** Median and maximum of the event loop delays (p99 of each minute). */
  readonly loopMs: number;
  readonly worstLoopMs: number;
  /** Limits that were exceeded, as text. */
  readonly breaches: readonly string[];
  /** Codes of all halts that occurred. */
  readonly halts: readonly string[];
}

/** Lets the bot trade, and samples its memory, delays, halts and broken rules. */
async function soak(world: BotWorld, bot: BotProcess): Promise<MeasuredDay> {
  /** Samples of the memory: minutes since the start, and MB. */
  const memory: (readonly [minutes: number, mb: number])[] = [];
  const loopDelaysMs: number[] = [];
  const breaches: string[] = [];
  const halts = new Set<string>();
  const startMs = performance.now();
  const minutesSinceStart = (): number => (performance.now() - startMs) / 60_000;
  while (minutesSinceStart() < MINUTES) {
    await pause(SAMPLE_MS);
    if (bot.isOver) throw new Error(`the bot ended: ${bot.text}`);
    const view = await askView(world.data);
    memory.push([minutesSinceStart(), rssBytes(bot) / BYTES_PER_MB]);
    if (view.loopDelayP99Ms !== null) loopDelaysMs.push(view.loopDelayP99Ms);
    for (const { causes } of view.scopes) for (const { code } of causes) halts.add(code);
    breaches.push(...(await brokenLimits(world, view.feeds)));
  }
  const afterWarmUp = memory.filter(([atMinutes]) => atMinutes >= MINUTES * WARM_UP_SHARE);
  return {
    slopeMb: theilSen(afterWarmUp) * 10,
    rssMb: memory.at(-1)![1],
    loopMs: median(loopDelaysMs),
    worstLoopMs: Math.max(...loopDelaysMs),
    breaches,
    halts: [...halts],
  };
}

/** Returns the limits that the true state of the exchange breaks: open orders, and the value of each symbol at its last price. */
async function brokenLimits({ exchange }: BotWorld, feeds: Awaited<ReturnType<typeof askView>>['feeds']): Promise<readonly string[]> {
  const { orders, accounts } = await exchange.truth();
  const problems = orders.length > MAX_OPEN_ORDERS ? [`${orders.length} open orders`] : [];
  for (const { asset, free, locked } of accounts[0]!.balances) {
    const price = feeds.find(({ instrument }) => instrument === `spot:${asset}USDT`)?.lastPrice ?? null;
    if (price === null) continue;
    const value = (Number(free) + Number(locked)) * Number(price);
    // The price may have moved by up to 2 % since the risk check.
    if (value > MAX_SYMBOL_VALUE * 1.02) problems.push(`${free} + ${locked} ${asset} at ${price}`);
  }
  return problems;
}

/** Returns the memory of the process as the kernel reports it. */
const rssBytes = ({ child }: BotProcess): number =>
  Number(/VmRSS:\s*(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))![1]) * 1024;

it.runIf(MINUTES > 0)(
  `an idle bot of one symbol needs little of the processor for ${MINUTES * IDLE_S_PER_MINUTE} s`,
  { timeout: 1_200_000 },
  async () => {
    const world = await BotWorld.open({ seed: SEED, market: 'spot', symbols: 1, speed: 1, more: { strategy: IDLE_STRATEGY, params: {} } });
    const bot = await world.startBot(MAX_REST_MS);
    try {
      const cpuBeforeS = cpuS(bot);
      const startMs = performance.now();
      await pause(MINUTES * IDLE_S_PER_MINUTE * 1000);
      const cpuShare = ((cpuS(bot) - cpuBeforeS) * 1000) / (performance.now() - startMs);
      console.log(`idle with one symbol at 1m: ${(cpuShare * 100).toFixed(2)} % of a core`);
      expect(cpuShare).toBeLessThanOrEqual(0.03);
    } finally {
      await bot.kill();
      await world.close();
    }
  },
);

/** A shipped strategy that only waits for a crossing. */
const IDLE_STRATEGY = new URL('../../strategies/smaCross.ts', import.meta.url).pathname;
/** Kernel ticks per second. */
const TICKS_PER_S = 100;

/** Returns the user and system time of the process, in seconds. */
function cpuS({ child }: BotProcess): number {
  const statText = readFileSync(`/proc/${child.pid}/stat`, 'utf8');
  // The second field is the name in parentheses, which may have spaces. The fields behind it begin with the third.
  const fields = statText.replace(/^.*\) /, '').split(' ');
  const userTicks = Number(fields[11]);
  const systemTicks = Number(fields[12]);
  return (userTicks + systemTicks) / TICKS_PER_S;
}
