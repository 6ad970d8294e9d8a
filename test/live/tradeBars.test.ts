// Tests a live bot on bars from trades: it counts as a backtest, survives a kill, and does not decide on bars with missed trades.

import { afterEach, expect, test } from 'vitest';
import { Strategy, sma } from '../../src/index.ts';
import type { RecordedTrades } from '../../src/paperExchange/market/priceSource.ts';
import { TradeBot, OPEN_MS, recordedTrades, type PrintedTrade, type TradeBotOptions } from '../fixtures/tradeBarBot.ts';

let bot: TradeBot;
afterEach(async () => {
  await bot.close();
  expect(bot.lines.filter((line) => line.startsWith('broken'))).toEqual([]);
});

const DAY_MS = 86_400_000;
/** Printed trades have prices in ticks of 0.01 USDT and sizes in lots of 0.00001 BTC. */
const TICKS_PER_USDT = 100;
const LOTS_PER_BTC = 1e5;

/** A bar from trades. Prices are in USDT and the volume in BTC. */
interface TradeBar {
  readonly openMs: number;
  readonly closeMs: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
}

/** Counts bars of `amount` trades by hand: all trades of one ms are in one bar, and counting restarts with each day. */
function countedBars(trades: readonly PrintedTrade[], amount: number): TradeBar[] {
  const bars: TradeBar[] = [];
  let openMs = trades[0]!.timeMs;
  let tradesInBar: PrintedTrade[] = [];
  const endBar = (closeMs: number): void => {
    const prices = tradesInBar.map(({ price }) => price / TICKS_PER_USDT);
    const lots = tradesInBar.reduce((sum, trade) => sum + trade.lots, 0);
    const range = { high: Math.max(...prices), low: Math.min(...prices) };
    bars.push({ openMs, closeMs, open: prices[0]!, ...range, close: prices.at(-1)!, volume: lots / LOTS_PER_BTC });
    openMs = closeMs;
    tradesInBar = [];
  };
  trades.forEach((trade, index) => {
    const next = trades[index + 1];
    tradesInBar.push(trade);
    if (tradesInBar.length >= amount && next?.timeMs !== trade.timeMs) endBar(trade.timeMs + 1);
    const dayEndMs = Math.floor(trade.timeMs / DAY_MS) * DAY_MS + DAY_MS;
    if (next !== undefined && next.timeMs >= dayEndMs) {
      if (tradesInBar.length > 0) endBar(dayEndMs);
      openMs = dayEndMs;
    }
  });
  return bars;
}

/** Time of a decision, and opening time of its bar. */
interface Decision {
  readonly nowMs: number;
  readonly openMs: number;
}

/** Records each bar on which it decides, buys at one and sells at the next. */
class Flip extends Strategy {
  /** The decisions of all instances. A restart repeats past ones. */
  static decisions: Decision[] = [];
  override onBar() {
    if (!this.bars.fresh) return;
    Flip.decisions.push({ nowMs: this.nowMs, openMs: this.bars.bar.openMs });
    if (this.position().isFlat) this.buy({ base: '0.01' });
    else this.exit();
  }
}

/** A bar of an INSTANT record: feed, opening time, four prices, volume, closing time; a ninth member if trades may be missing in it. */
type BarRecord = readonly number[];
const barFromRecord = ([, openMs, open, high, low, close, volume, closeMs]: BarRecord): TradeBar => {
  return { openMs: openMs!, closeMs: closeMs!, open: open!, high: high!, low: low!, close: close!, volume: volume! };
};
/** Number of members of a bar in which trades may be missing. */
const INCOMPLETE_LENGTH = 9;
const isIncomplete = ({ length }: BarRecord): boolean => length === INCOMPLETE_LENGTH;
const barRecords = (): readonly BarRecord[] => bot.instants.flatMap(({ bars }) => bars);
const journalledBars = (): TradeBar[] => barRecords().map(barFromRecord);

/** Returns the decisions that a bot makes on these bars: each at the close of its bar. */
const decisionsOn = (bars: readonly TradeBar[]): readonly Decision[] => bars.map(({ openMs, closeMs }) => ({ nowMs: closeMs, openMs }));
/** Returns the number of bars on which the bot has decided. Decisions that a restart repeats count once. */
const decidedBarCount = (): number => new Set(Flip.decisions.map(({ nowMs }) => nowMs)).size;
const MINUTE_MS = 60_000;

/** Starts a bot on bars of 25 trades, after a first minute of trades. */
async function startFlip(): Promise<void> {
  Flip.decisions = [];
  bot = await TradeBot.open({ strategy: Flip, interval: '25ticks' });
  await bot.runTo(OPEN_MS + MINUTE_MS);
  await bot.start();
}

test('a bot decides on each bar from trades over the end of a day, and a replay makes the same decisions', async () => {
  Flip.decisions = [];
  bot = await TradeBot.open({ strategy: Flip, interval: '25ticks' });
  await bot.runTo(OPEN_MS + 15 * MINUTE_MS);
  await bot.start();
  await bot.runTo(OPEN_MS + 30 * MINUTE_MS);
  await bot.kill();
  const bars = countedBars(bot.printed, 25);
  const journalled = journalledBars();
  expect(journalled).toEqual(bars.slice(0, journalled.length));
  const warmUpCount = journalled.length - Flip.decisions.length;
  expect(warmUpCount).toBeGreaterThan(10);
  expect(Flip.decisions).toEqual(decisionsOn(bars.slice(warmUpCount, journalled.length)));
  expect(Flip.decisions.length).toBeGreaterThan(15);
  // Midnight ends a bar.
  expect(Flip.decisions.map(({ nowMs }) => nowMs)).toContain(OPEN_MS + 20 * MINUTE_MS);
  const replayed = await bot.replay();
  expect(replayed).toMatchObject({ difference: null, equalToUnstopped: true, missedBars: 0 });
  expect(replayed.decisions).toBeGreaterThan(15);
}, 600_000);

test.each(['0.5volume', '32000dollar', '40range'])(
  'a bot builds bars of %s while minute bars decide beside them',
  async (interval) => {
    const decisionTimes: number[] = [];
    class ReadsBothFeeds extends Strategy {
      minute = this.feed('minute');
      override onBar() {
        if (this.bars.fresh) decisionTimes.push(this.nowMs);
      }
    }
    const feeds = { bars: { symbol: 'BTCUSDT', interval }, minute: { symbol: 'BTCUSDT', interval: '1m' } };
    bot = await TradeBot.open({ strategy: ReadsBothFeeds, interval, more: { feeds } });
    await bot.runTo(OPEN_MS + 5 * MINUTE_MS);
    await bot.start();
    const fromMs = bot.time.nowMs;
    await bot.runTo(OPEN_MS + 15 * MINUTE_MS);
    await bot.kill();
    const closes = barRecords().flatMap(({ 7: closeMs = NaN }) => (closeMs > fromMs ? [closeMs] : []));
    expect(closes.length).toBeGreaterThan(10);
    // A minute bar that comes earlier than a trade of the same minute waits for it.
    expect(decisionTimes).toEqual(closes);
    expect(await bot.replay()).toMatchObject({ difference: null, equalToUnstopped: true });
  },
  600_000,
);

test('a bot decides on a bar from trades before the later minute bar, although the trades arrive after that bar', async () => {
  const decisions: { readonly nowMs: number; readonly isMinuteFresh: boolean }[] = [];
  class ReadsBothFeeds extends Strategy {
    minute = this.feed('minute');
    override onBar() {
      decisions.push({ nowMs: this.nowMs, isMinuteFresh: this.minute.fresh });
    }
  }
  const { ticks, lots, length } = recordedTrades(100, 1000);
  const timeMs = Float64Array.from({ length }, (_, index) => Math.max(0, index * 10_000 - 100));
  const feeds = { bars: { symbol: 'BTCUSDT', interval: '1ticks' }, minute: { symbol: 'BTCUSDT', interval: '1m' } };
  // Klines are requested as soon as they can be, and trades later.
  const bars = { delayMs: 400, spreadMs: 0, graceMs: 5000 };
  bot = await TradeBot.open({
    strategy: ReadsBothFeeds,
    interval: '1ticks',
    trades: { ticks, lots, length, timeMs },
    more: { feeds, bars },
  });
  await bot.runTo(OPEN_MS + MINUTE_MS);
  await bot.start();
  const fromMs = Math.ceil(bot.time.nowMs / MINUTE_MS) * MINUTE_MS;
  await bot.runTo(fromMs + 8 * MINUTE_MS + 30_000);
  await bot.kill();
  const expected = Array.from({ length: 9 }, (_, minute) => fromMs + minute * MINUTE_MS).flatMap((ms) => [
    { nowMs: ms - 99, isMinuteFresh: false },
    { nowMs: ms, isMinuteFresh: true },
  ]);
  expect(decisions.filter(({ nowMs }) => nowMs % MINUTE_MS === 0 || nowMs % MINUTE_MS === MINUTE_MS - 99)).toEqual(expected);
}, 600_000);

test('a bot that is killed within a bar from trades ends that bar at the same trade after its restart', async () => {
  await startFlip();
  await bot.until(() => Flip.decisions.length === 5);
  await bot.runTo(bot.time.nowMs + 10_000);
  await bot.kill();
  await bot.start();
  await bot.until(() => decidedBarCount() >= 12);
  await bot.kill();
  const bars = countedBars(bot.printed, 25);
  const journalled = journalledBars();
  expect(journalled).toEqual(bars.slice(0, journalled.length));
  const replayed = await bot.replay();
  expect(replayed).toMatchObject({ difference: null, equalToUnstopped: true, processes: 2, missedBars: 0 });
}, 600_000);

test('bars from trades that ended while the bot was down are delivered without a decision', async () => {
  await startFlip();
  await bot.until(() => Flip.decisions.length === 3);
  await bot.kill();
  await bot.runTo(bot.time.nowMs + 5 * MINUTE_MS);
  await bot.start();
  await bot.until(() => decidedBarCount() >= 6);
  await bot.stop();
  const bars = countedBars(bot.printed, 25);
  const journalled = journalledBars();
  expect(journalled).toEqual(bars.slice(0, journalled.length));
  const { missedBars, difference } = await bot.replay();
  expect(missedBars).toBeGreaterThan(5);
  expect(difference).toBeNull();
}, 600_000);

test('a bar with missed trades is journalled and warned about, and the strategy does not decide on it', async () => {
  await startFlip();
  await bot.until(() => Flip.decisions.length === 3);
  // The next poll shows the trade of the bot itself.
  await bot.runTo(bot.time.nowMs + 2000);
  bot.hideTrades(4);
  await bot.until(() => Flip.decisions.length >= 7);
  await bot.stop();
  const punctualRecords = bot.instants.flatMap(({ bars, decided }) => (decided ? bars : []));
  const incompleteRecords = punctualRecords.filter(isIncomplete);
  expect(incompleteRecords).toHaveLength(1);
  const incompleteBar = barFromRecord(incompleteRecords[0]!);
  expect(Flip.decisions.map(({ openMs }) => openMs)).not.toContain(incompleteBar.openMs);
  const completeBars = punctualRecords.filter((record) => !isIncomplete(record)).map(barFromRecord);
  expect(Flip.decisions).toEqual(decisionsOn(completeBars));
  // The bar has the trades that the exchange still showed.
  const hidden = new Set(bot.hidden);
  expect(hidden.size).toBeGreaterThanOrEqual(4);
  const { openMs, closeMs } = incompleteBar;
  const shownTrades = bot.printed.filter(({ timeMs, id }) => timeMs >= openMs && timeMs < closeMs && !hidden.has(id));
  expect(incompleteBar.volume).toBe(shownTrades.reduce((sum, { lots }) => sum + lots, 0) / LOTS_PER_BTC);
  const log = bot.lines.join('');
  expect(log).toContain('may be missing, because two polls share no trade id: the next bar is incomplete');
  expect(log).toContain('trades may be missing in the bar from');
  expect((await bot.replay()).difference).toBeNull();
}, 600_000);

test('a restart that cannot reach back to the last bar by trades says so, and no strategy decides on the next bar', async () => {
  await startFlip();
  await bot.until(() => Flip.decisions.length === 3);
  await bot.kill();
  // More than the 1000 trades that the exchange shows.
  await bot.runTo(bot.time.nowMs + 40 * MINUTE_MS);
  await bot.start();
  expect(bot.lines.join('')).toContain('25ticks: the newest trades of the exchange do not reach back to 2024-01-01T23:4');
  await bot.until(() => decidedBarCount() >= 5);
  await bot.stop();
  expect(barRecords().filter(isIncomplete)).toHaveLength(1);
}, 600_000);

test('trades that a restart missed are an interruption, although no bar ended meanwhile', async () => {
  await startFlip();
  await bot.until(() => Flip.decisions.length === 3);
  await bot.runTo(bot.time.nowMs + 5000);
  await bot.kill();
  bot.hideTrades(2);
  await bot.until(() => bot.printed.length >= bot.knownTrades + 4);
  await bot.start();
  await bot.until(() => decidedBarCount() >= 6);
  await bot.kill();
  expect(barRecords().filter(isIncomplete)).toHaveLength(1);
  expect(await bot.replay()).toMatchObject({
    difference: null,
    equalToUnstopped: false,
    interruption: 'trades were missed',
    missedBars: 0,
  });
}, 600_000);

test('warm-up bars come from trades of the catalog that reach the trades of the exchange', async () => {
  Flip.decisions = [];
  const means: number[] = [];
  class Averaged extends Flip {
    mean = this.use(sma(this.bars.close, 50));
    override onBar() {
      super.onBar();
      if (this.bars.fresh) means.push(this.mean.value);
    }
  }
  bot = await TradeBot.open({ strategy: Averaged, interval: '25ticks' });
  for (const minutes of [15, 30]) {
    await bot.runTo(OPEN_MS + minutes * MINUTE_MS);
    await bot.importTrades();
  }
  await bot.runTo(OPEN_MS + 45 * MINUTE_MS);
  await bot.start();
  await bot.until(() => Flip.decisions.length >= 3);
  await bot.stop();
  const bars = countedBars(bot.printed, 25);
  const journalled = journalledBars();
  expect(bot.printed.length).toBeGreaterThan(1500);
  expect(journalled).toEqual(bars.slice(0, journalled.length));
  const firstDecided = bars.findIndex(({ closeMs }) => closeMs === Flip.decisions[0]!.nowMs);
  const closes = bars.slice(firstDecided - 49, firstDecided + 1).map(({ close }) => close);
  expect(means[0]).toBeCloseTo(closes.reduce((sum, close) => sum + close, 0) / 50, 6);
}, 600_000);

test('a bot is not started on an exchange whose trades have no ids', async () => {
  bot = await TradeBot.open({ strategy: Flip, interval: '25ticks', profile: { tradeFields: 'four' } });
  await bot.runTo(OPEN_MS + MINUTE_MS);
  await expect(bot.start()).rejects.toThrow(
    'expected an exchange whose recent trades have ids, for bars of 25ticks, got trades without ids',
  );
  expect(bot.records.map(({ k }) => k)).not.toContain('CONFIG');
});

/**
 * A trade each 10 s, so that an order of the bot is always the first trade after its bar. The first trade is large: its size is the maximum
 * of each level of the book, and an order must fit into one level.
 */
function sparseTrades(): RecordedTrades {
  const { ticks, lots, length } = recordedTrades(400, 1000);
  const timeMs = Float64Array.from({ length }, (_, index) => index * 10_000);
  return { ticks, lots: lots.map((size, index) => (index === 0 ? 1e9 : size)), length, timeMs };
}

/** Runs a bot until shortly after midnight, and imports all trades of the exchange. Calls `afterEightMinutes` meanwhile. */
async function runOverMidnight(options: Omit<TradeBotOptions, 'strategy'>, afterEightMinutes: () => Promise<void> = async () => {}) {
  Flip.decisions = [];
  bot = await TradeBot.open({ strategy: Flip, ...options });
  await bot.runTo(OPEN_MS + MINUTE_MS);
  await bot.start();
  await bot.runTo(OPEN_MS + 8 * MINUTE_MS);
  await afterEightMinutes();
  await bot.importTrades();
  await bot.runTo(OPEN_MS + 22 * MINUTE_MS);
  await bot.stop();
  await bot.runTo(OPEN_MS + 23 * MINUTE_MS);
  await bot.importTrades();
}

test('a bot on bars from trades equals its backtest over midnight and a restart', async () => {
  await runOverMidnight({ interval: '5ticks', trades: sparseTrades() }, async () => {
    await bot.kill();
    await bot.start();
  });
  const report = await bot.parity();
  expect(report).toMatchObject({ equal: true, first: null, bridge: [], residual: '0' });
  expect(report.bars).toBeGreaterThan(20);
  expect(report.fills).toBeGreaterThan(20);
}, 600_000);

test('trades between a bar and the order on it are attributed by parity to the fill model', async () => {
  await runOverMidnight({ interval: '25ticks' });
  const report = await bot.parity();
  expect(report).toMatchObject({ equal: false, first: { what: 'fill' }, cause: 'fill model', residual: '0' });
  expect(report.bridge.map(({ cause }) => cause)).toEqual(['fill model']);
}, 600_000);

test('a bar on which the bot did not decide because of missed trades is attributed by parity to a late bar', async () => {
  await runOverMidnight({ interval: '5ticks', trades: sparseTrades() }, async () => {
    bot.hideTrades(3);
    await bot.until(() => bot.lines.some((line) => line.includes('trades may be missing in the bar')));
    bot.showTrades();
  });
  const report = await bot.parity();
  expect(report).toMatchObject({ equal: false, first: { what: 'bar' }, cause: 'late bar', residual: '0' });
  expect(report.bridge.map(({ cause }) => cause)).not.toContain('operator');
}, 600_000);
