// Tests the delivery of bars to a live bot on simulated time: punctual bars of an instant are decided on together, late ones are not.

import { afterEach, expect, test } from 'vitest';
import { JournalHistory } from '../../src/adapters/journal/records/journalHistory.ts';
import type { AskKlines } from '../../src/adapters/exchange/klines/barPoller.ts';
import { BarDelivery } from '../../src/tasks/bot/feeds/barDelivery.ts';
import { buildEngine } from '../../src/tasks/bot/lifetime/liveEngine.ts';
import type { LiveSet } from '../../src/tasks/bot/feeds/liveFeeds.ts';
import { timeMs } from '../../src/base/brand.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { deliverInstant } from '../../src/engine/loop/liveSteps.ts';
import { GrowingBars } from '../../src/model/bars/growingBars.ts';
import { Strategy } from '../../src/index.ts';
import { MeasuredAbsenceBounds } from '../../src/orders/prove/absenceBounds.ts';
import { DueQueue } from '../../src/ports/dueQueue.ts';
import { ReplayJournal } from '../../src/adapters/replay/replayJournal.ts';
import { feed, planOf, spot, START_MS } from '../simulation/plans.ts';

const MINUTE_MS = 60_000;
const GRACE_MS = 5000;

/** Log of decisions, such as `12: a-`: in minute 12 the first feed had a new bar and the second had none. A timer logs `timer 15`. */
let decisionLog: string[] = [];
afterEach(() => (decisionLog = []));

/** Records the minute of each decision, and which feeds had a new bar. */
class DecisionRecorder extends Strategy {
  other = this.feed('other');
  override onBar() {
    const minute = (this.nowMs - START_MS) / MINUTE_MS;
    decisionLog.push(`${minute}: ${this.bars.fresh ? 'a' : '-'}${this.other.fresh ? 'b' : '-'}`);
  }
  override onStart() {
    this.every('5m', () => decisionLog.push(`timer ${(this.nowMs - START_MS) / MINUTE_MS}`));
  }
}

/** The bars of one symbol at the exchange, and the faults of the exchange. */
interface SymbolBars {
  /** Minutes without a bar at the exchange. */
  readonly missing: Set<number>;
  /** True while the exchange does not reply. */
  isAway: boolean;
  /** Time from the close of a bar until the exchange has it, ms. */
  lateMs: number;
}

/** Minutes of warm-up. The bot starts at their end. */
const WARM_UP_MINUTES = 10;

/** Returns the bar of a minute. */
const barOfMinute = (minute: number) => ({
  openMs: START_MS + minute * MINUTE_MS,
  open: 100,
  high: 101,
  low: 99,
  close: 100 + minute / 100,
  volume: 1,
});

/** Returns the klines of the given minutes as the exchange sends them. */
function klineRows(minutes: readonly number[]) {
  const text = (value: number) => String(value);
  return minutes.map((minute) => {
    const { openMs, open, high, low, close, volume } = barOfMinute(minute);
    return { openMs: timeMs(openMs), open: text(open), high: text(high), low: text(low), close: text(close), volume: text(volume) };
  });
}

/** Returns the klines call for one symbol. It replies after 20 ms with the newest bars that the exchange has. */
function klinesCall(symbolBars: SymbolBars, queue: DueQueue, venueMs: () => number): AskKlines {
  return (rows, onReply) => {
    const handle = queue.at(queue.nowMs + 20, () => {
      if (symbolBars.isAway) return onReply({ kind: 'unknown', cause: 'no answer', error: null, status: null } as never);
      const newest = Math.floor((venueMs() - symbolBars.lateMs - START_MS) / MINUTE_MS) - 1;
      const minutes = Array.from({ length: rows }, (_, offset) => newest - rows + 1 + offset).filter(
        (minute) => minute >= 0 && !symbolBars.missing.has(minute),
      );
      onReply({ kind: 'acked', value: { rows: klineRows(minutes), refused: [] } } as never);
    });
    return () => queue.cancel(handle);
  };
}

/** Returns the bars of a symbol that the bot has at its start, which grow while it runs. */
function warmUpBars(symbol: string): GrowingBars {
  const bars = new GrowingBars(spot(symbol), '1m', 1000);
  for (let minute = 0; minute < WARM_UP_MINUTES; minute++) bars.append(barOfMinute(minute));
  return bars;
}

/** Returns the set of bars that feeds the growing bars of a symbol. */
const liveSetOf = (growingBars: GrowingBars): LiveSet => ({
  key: { market: 'spot', symbol: growingBars.instrument.wireName, interval: '1m' },
  from: '1m',
  instrument: growingBars.instrument,
  known: Array.from({ length: WARM_UP_MINUTES }, (_, minute) => ({
    ...barOfMinute(minute),
    closeMs: START_MS + (minute + 1) * MINUTE_MS,
    barsIn: 1,
  })),
  copies: [growingBars],
  missedBars: [],
});

/** Returns an engine over two growing feeds, without orders. */
async function engineOver(growingBars: readonly GrowingBars[]): Promise<Engine> {
  const plan = {
    ...planOf(DecisionRecorder, [feed('bars', growingBars[0]!), feed('other', growingBars[1]!)]),
    fromMs: START_MS + WARM_UP_MINUTES * MINUTE_MS,
    toMs: Infinity,
    blockRows: 64,
  };
  const world = {
    exchange: { submit() {}, cancel() {}, read() {}, workingOrders: () => 0, matchRow() {}, blockOpened() {}, settleMarks() {} },
    journal: new ReplayJournal(),
    absenceBounds: new MeasuredAbsenceBounds(),
  };
  return (await buildEngine(plan, world, new JournalHistory(), () => {})).engine;
}

/** Returns a bot with two symbols on one clock, which has started after the warm-up. */
async function openFixture() {
  const queue = new DueQueue();
  queue.runDue(START_MS + WARM_UP_MINUTES * MINUTE_MS);
  /** Time that the computer slept: the exchange's clock went on, the timers of the bot did not. */
  let sleptMs = 0;
  const venueMs = (): number => queue.nowMs + sleptMs;
  const symbols: SymbolBars[] = [0, 1].map(() => ({ missing: new Set<number>(), isAway: false, lateMs: 100 }));
  const growingBars = ['AAAUSDT', 'BBBUSDT'].map(warmUpBars);
  const engine = await engineOver(growingBars);
  const sets = growingBars.map(liveSetOf);
  const logLines: string[] = [];
  const instants: number[] = [];
  let settleCount = 0;
  const delivery = new BarDelivery({
    engine,
    sets,
    scheduler: queue,
    serverTime: () => ({ ms: timeMs(venueMs()), uncertaintyMs: 5 }),
    ask: (set) => klinesCall(symbols[sets.indexOf(set)]!, queue, venueMs),
    askTrades: () => () => () => {},
    random: () => 0.5,
    times: { graceMs: GRACE_MS, delayMs: 100, spreadMs: 100 },
    bookFills: (_instruments, onSettled) => {
      settleCount++;
      queue.at(queue.nowMs + 30, onSettled);
    },
    deliver: (atMs, _facts, append) => {
      instants.push((atMs - START_MS) / MINUTE_MS);
      append();
      deliverInstant(engine, atMs);
    },
    catchUp: () => {},
    onInstantEnd: () => {},
    sinceMs: null,
    log: (_level, message) => logLines.push(message),
  });
  delivery.start();
  /** Runs both clocks until this minute of the run, by the exchange's clock. A fraction is a part of a minute. */
  const runTo = (minute: number): void => {
    const toMs = START_MS + minute * MINUTE_MS - sleptMs;
    while (queue.nextMs <= toMs) queue.runDue(queue.nextMs);
    queue.runDue(toMs);
  };
  const sleep = (minutes: number): void => {
    sleptMs += minutes * MINUTE_MS;
  };
  return { engine, symbols, logLines, instants, delivery, runTo, sleep, settleCount: () => settleCount };
}

/** Returns the number of bars of each feed. */
const barCounts = (engine: Engine) => engine.feeds.map(({ bars }) => bars.length);

test('bars that close together are decided on together once their fills are known, and timers run after them', async () => {
  const { engine, runTo, settleCount, delivery } = await openFixture();
  runTo(15.9);
  expect(decisionLog).toEqual(['11: ab', '12: ab', '13: ab', '14: ab', 'timer 15', '15: ab']);
  expect(settleCount()).toBe(5);
  expect(barCounts(engine)).toEqual([15, 15]);
  expect(delivery.isIdle).toBe(true);
});

test('a decision waits for a late bar within the grace, and beyond it the bar is appended without a decision', async () => {
  const { engine, runTo, symbols, logLines } = await openFixture();
  runTo(11.5);
  symbols[1]!.lateMs = 3000;
  runTo(12.5);
  expect(decisionLog).toEqual(['11: ab', '12: ab']);
  symbols[1]!.lateMs = 8000;
  runTo(13.5);
  expect(decisionLog.slice(2)).toEqual(['13: a-']);
  expect(logLines.at(-1)).toContain(
    'BBBUSDT 1m: the bar that closed at 2024-01-01 00:13 UTC did not come within 5000 ms: no decision on it',
  );
  symbols[1]!.lateMs = 100;
  runTo(14.5);
  expect(decisionLog.slice(3)).toEqual(['14: ab']);
  expect(barCounts(engine)).toEqual([14, 14]);
});

test('a minute without a bar delays no decision once the next bar has arrived', async () => {
  const { runTo, symbols, engine } = await openFixture();
  symbols[1]!.missing.add(11);
  runTo(14.5);
  expect(decisionLog).toEqual(['11: ab', '12: a-', '13: ab', '14: ab']);
  expect(barCounts(engine)).toEqual([14, 13]);
});

test('bars of an outage are appended after it, and only punctual bars are decided on', async () => {
  const { runTo, symbols, engine, logLines } = await openFixture();
  runTo(12.5);
  for (const symbol of symbols) symbol.isAway = true;
  runTo(20.5);
  for (const symbol of symbols) symbol.isAway = false;
  runTo(24.5);
  const decisionsAfter = decisionLog.slice(2).filter((text) => !text.startsWith('timer'));
  expect(decisionsAfter.length).toBeGreaterThanOrEqual(2);
  for (const text of decisionsAfter) expect(Number.parseInt(text, 10)).toBeGreaterThan(20);
  expect(new Set(decisionsAfter).size).toBe(decisionsAfter.length);
  expect(barCounts(engine)).toEqual([24, 24]);
  expect(logLines.some((text) => text.includes('no answer'))).toBe(true);
});

test('a process that has slept appends the missed bars and decides only on new ones', async () => {
  const { runTo, engine, instants, sleep } = await openFixture();
  runTo(12.5);
  sleep(7);
  runTo(21.5);
  expect(instants.filter((minute) => minute > 12)).toEqual([20, 21]);
  expect(decisionLog.at(-1)).toBe('21: ab');
  expect(barCounts(engine)).toEqual([21, 21]);
});

test('the delivery triggers no decision once it has stopped', async () => {
  const { runTo, delivery } = await openFixture();
  runTo(12.5);
  delivery.stop();
  runTo(20);
  expect(decisionLog).toHaveLength(2);
});

test('a symbol without three bars in a row delays no decision once the exchange has replied, and its next bar is fresh', async () => {
  const { runTo, symbols, engine, logLines } = await openFixture();
  for (let minute = 10; minute < 17; minute++) symbols[1]!.missing.add(minute);
  // One second after the close, long before the end of the grace.
  const oneSecond = 1 / 60;
  for (let minute = 11; minute < 14; minute++) {
    runTo(minute + oneSecond);
    expect(decisionLog).toHaveLength(minute - 11);
    runTo(minute + 0.5);
  }
  runTo(14 + oneSecond);
  expect(decisionLog).toEqual(['11: a-', '12: a-', '13: a-', '14: a-']);
  expect(logLines.filter((text) => text.includes('did not come within'))).toHaveLength(3);
  // Without a reply the symbol may have a bar, so the decision waits.
  symbols[1]!.isAway = true;
  runTo(15 + oneSecond);
  expect(decisionLog).toHaveLength(4);
  symbols[1]!.isAway = false;
  runTo(18 + oneSecond);
  expect(decisionLog.at(-1)).toBe('18: ab');
  expect(barCounts(engine)).toEqual([18, 11]);
});
