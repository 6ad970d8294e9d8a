// Instants of a live bot on simulated time: bars in time are decided on, all feeds of an instant together; late ones are not; gaps are.

import { afterEach, expect, test } from 'vitest';
import { TradeHistory } from '../../src/adapters/journal/records/history.ts';
import type { AskKlines } from '../../src/adapters/exchange/klines/barPoller.ts';
import { BarDelivery } from '../../src/tasks/bot/feeds/barDelivery.ts';
import { buildEngine } from '../../src/tasks/bot/lifetime/liveEngine.ts';
import type { LiveSet } from '../../src/tasks/bot/feeds/feeds.ts';
import { timeMs } from '../../src/base/brand.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { deliverInstant } from '../../src/engine/loop/liveSteps.ts';
import { GrowingBars } from '../../src/model/bars/growingBars.ts';
import { Strategy } from '../../src/index.ts';
import { MeasuredAbsenceBounds } from '../../src/orders/prove/absenceBounds.ts';
import { DueQueue } from '../../src/ports/dueQueue.ts';
import { ReplayJournal } from '../../src/adapters/replay/replayJournal.ts';
import { feed, planOf, spot, START_MS } from '../simulation/plans.ts';

const MINUTE = 60_000;
const GRACE = 5000;

/** Minutes (of the run) at whose close the bot decided, with the newest bar of each feed. */
let decided: string[] = [];
afterEach(() => (decided = []));

class Seer extends Strategy {
  other = this.feed('other');
  override onBar() {
    const at = (this.nowMs - START_MS) / MINUTE;
    decided.push(`${at}: ${this.bars.fresh ? 'a' : '-'}${this.other.fresh ? 'b' : '-'}`);
  }
  override onStart() {
    this.every('5m', () => decided.push(`timer ${(this.nowMs - START_MS) / MINUTE}`));
  }
}

interface Market {
  /** Minutes without a bar at the exchange. */
  readonly missing: Set<number>;
  /** While true it does not answer. */
  isAway: boolean;
  /** How long after its close the exchange has a bar, ms. */
  lateMs: number;
}

/** Two symbols on one clock; a bot that has the first ten minutes as warm-up. */
async function fixture() {
  const queue = new DueQueue();
  queue.runDue(START_MS + 10 * MINUTE);
  let sleptMs = 0;
  const venueMs = (): number => queue.nowMs + sleptMs;
  const markets: Market[] = [0, 1].map(() => ({ missing: new Set<number>(), isAway: false, lateMs: 100 }));
  const row = (minute: number) => ({
    openMs: START_MS + minute * MINUTE,
    open: 100,
    high: 101,
    low: 99,
    close: 100 + minute / 100,
    volume: 1,
  });
  const bars = ['AAAUSDT', 'BBBUSDT'].map((symbol) => {
    const growing = new GrowingBars(spot(symbol), '1m', 1000);
    for (let minute = 0; minute < 10; minute++) growing.append(row(minute));
    return growing;
  });
  const plan = {
    ...planOf(Seer, [feed('bars', bars[0]!), feed('other', bars[1]!)]),
    fromMs: START_MS + 10 * MINUTE,
    toMs: Infinity,
    blockRows: 64,
  };
  const world = {
    exchange: { submit() {}, cancel() {}, read() {}, workingOrders: () => 0, matchRow() {}, blockOpened() {}, settleMarks() {} },
    journal: new ReplayJournal(),
    absenceBounds: new MeasuredAbsenceBounds(),
  };
  const { engine } = await buildEngine(plan, world, new TradeHistory(), () => {});
  const sets: LiveSet[] = bars.map((copy) => ({
    key: { market: 'spot', symbol: copy.instrument.wireName, interval: '1m' },
    from: '1m',
    instrument: copy.instrument,
    known: Array.from({ length: 10 }, (_, minute) => ({ ...row(minute), closeMs: START_MS + (minute + 1) * MINUTE, barsIn: 1 })),
    copies: [copy],
    behind: [],
  }));
  const ask =
    (at: number): AskKlines =>
    (rows, done) => {
      const market = markets[at]!;
      const handle = queue.at(queue.nowMs + 20, () => {
        if (market.isAway) return done({ kind: 'unknown', cause: 'no answer', error: null, status: null } as never);
        const newest = Math.floor((venueMs() - market.lateMs - START_MS) / MINUTE) - 1;
        const minutes = Array.from({ length: rows }, (_, back) => newest - rows + 1 + back).filter(
          (minute) => minute >= 0 && !market.missing.has(minute),
        );
        const text = (value: number) => String(value);
        const listed = minutes.map((minute) => {
          const { openMs, open, high, low, close, volume } = row(minute);
          return { openMs: timeMs(openMs), open: text(open), high: text(high), low: text(low), close: text(close), volume: text(volume) };
        });
        done({ kind: 'acked', value: { rows: listed, refused: [] } } as never);
      });
      return () => queue.cancel(handle);
    };
  const reply: string[] = [];
  const instants: number[] = [];
  let settles = 0;
  const barFixture = new BarDelivery({
    engine,
    sets,
    scheduler: queue,
    serverTime: () => ({ ms: timeMs(venueMs()), uncertaintyMs: 5 }),
    ask: (set) => ask(sets.indexOf(set)),
    random: () => 0.5,
    times: { graceMs: GRACE, delayMs: 100, spreadMs: 100 },
    settle: (_instruments, done) => {
      settles++;
      queue.at(queue.nowMs + 30, done);
    },
    deliver: (atMs, _facts, append) => {
      instants.push((atMs - START_MS) / MINUTE);
      append();
      deliverInstant(engine, atMs);
    },
    catchUp: () => {},
    onInstantEnd: () => {},
    sinceMs: null,
    log: (_level, message) => reply.push(message),
  });
  const runTo = (minute: number): void => {
    const toMs = START_MS + minute * MINUTE - sleptMs;
    while (queue.nextMs <= toMs) queue.runDue(queue.nextMs);
    queue.runDue(toMs);
  };
  barFixture.start();
  const sleep = (minutes: number): void => {
    sleptMs += minutes * MINUTE;
  };
  return { engine, markets, reply, instants, barFixture, runTo, sleep, settles: () => settles };
}

const lengths = (engine: Engine) => engine.feeds.map(({ bars }) => bars.length);

test('feeds that close together decide together, after what was filled is known; timers after their bars', async () => {
  const { engine, runTo, settles, barFixture } = await fixture();
  runTo(15.9);
  expect(decided).toEqual(['11: ab', '12: ab', '13: ab', '14: ab', 'timer 15', '15: ab']);
  expect(settles()).toBe(5);
  expect(lengths(engine)).toEqual([15, 15]);
  expect(barFixture.isIdle).toBe(true);
});

test('a feed that is late within the grace is waited for; beyond it the others decide without it, and its bar is caught up', async () => {
  const { engine, runTo, markets, reply: text } = await fixture();
  runTo(11.5);
  markets[1]!.lateMs = 3000;
  runTo(12.5);
  expect(decided).toEqual(['11: ab', '12: ab']);
  markets[1]!.lateMs = 8000;
  runTo(13.5);
  expect(decided.slice(2)).toEqual(['13: a-']);
  expect(text.at(-1)).toContain('BBBUSDT 1m: the bar that closed at 2024-01-01 00:13 UTC did not come within 5000 ms: no decision on it');
  markets[1]!.lateMs = 100;
  runTo(14.5);
  expect(decided.slice(3)).toEqual(['14: ab']);
  expect(lengths(engine)).toEqual([14, 14]);
});

test('a minute without trade is not a reason to wait once the next bar is there', async () => {
  const { runTo, markets, engine } = await fixture();
  markets[1]!.missing.add(11);
  runTo(14.5);
  expect(decided).toEqual(['11: ab', '12: a-', '13: ab', '14: ab']);
  expect(lengths(engine)).toEqual([14, 13]);
});

test('after an outage what was missed is caught up, and only bars in time are decided on', async () => {
  const { runTo, markets, engine, reply } = await fixture();
  runTo(12.5);
  for (const market of markets) market.isAway = true;
  runTo(20.5);
  for (const market of markets) market.isAway = false;
  runTo(24.5);
  const after = decided.slice(2).filter((text) => !text.startsWith('timer'));
  expect(after.length).toBeGreaterThanOrEqual(2);
  for (const text of after) expect(Number.parseInt(text, 10)).toBeGreaterThan(20);
  expect(new Set(after).size).toBe(after.length);
  expect(lengths(engine)).toEqual([24, 24]);
  expect(reply.some((text) => text.includes('no answer'))).toBe(true);
});

test('a process that slept decides on nothing that is old', async () => {
  const { runTo, engine, instants, sleep } = await fixture();
  runTo(12.5);
  sleep(7);
  runTo(21.5);
  expect(instants.filter((minute) => minute > 12)).toEqual([20, 21]);
  expect(decided.at(-1)).toBe('21: ab');
  expect(lengths(engine)).toEqual([21, 21]);
});

test('nothing happens any more after a stop', async () => {
  const { runTo, barFixture } = await fixture();
  runTo(12.5);
  barFixture.stop();
  runTo(20);
  expect(decided).toHaveLength(2);
});

test('a symbol that has missed three bars in a row delays no decision: its answer is enough, and its next bar counts', async () => {
  const { runTo, markets, engine, reply } = await fixture();
  for (let minute = 10; minute < 17; minute++) markets[1]!.missing.add(minute);
  // Within the grace, long before its end.
  const soon = 1 / 60;
  for (let minute = 11; minute < 14; minute++) {
    runTo(minute + soon);
    expect(decided).toHaveLength(minute - 11);
    runTo(minute + 0.5);
  }
  runTo(14 + soon);
  expect(decided).toEqual(['11: a-', '12: a-', '13: a-', '14: a-']);
  expect(reply.filter((text) => text.includes('did not come within'))).toHaveLength(3);
  // Who does not answer may have a bar.
  markets[1]!.isAway = true;
  runTo(15 + soon);
  expect(decided).toHaveLength(4);
  markets[1]!.isAway = false;
  runTo(18 + soon);
  expect(decided.at(-1)).toBe('18: ab');
  expect(lengths(engine)).toEqual([18, 11]);
});
