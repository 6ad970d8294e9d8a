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
type BarRow = readonly [openMs: number, closeMs: number, open: number, high: number, low: number, close: number, volume: number];

/** Counts bars of `amount` trades by hand: all trades of one ms are in one bar, and counting restarts with each day. */
function countedBars(trades: readonly PrintedTrade[], amount: number): BarRow[] {
  const bars: BarRow[] = [];
  let openMs = trades[0]!.timeMs;
  let inBar: PrintedTrade[] = [];
  const end = (closeMs: number): void => {
    const prices = inBar.map(({ price }) => price / 100);
    const lots = inBar.reduce((sum, trade) => sum + trade.lots, 0);
    bars.push([openMs, closeMs, prices[0]!, Math.max(...prices), Math.min(...prices), prices.at(-1)!, lots / 1e5]);
    openMs = closeMs;
    inBar = [];
  };
  trades.forEach((trade, index) => {
    const next = trades[index + 1];
    inBar.push(trade);
    if (inBar.length >= amount && next?.timeMs !== trade.timeMs) end(trade.timeMs + 1);
    const dayEndMs = Math.floor(trade.timeMs / DAY_MS) * DAY_MS + DAY_MS;
    if (next !== undefined && next.timeMs >= dayEndMs) {
      if (inBar.length > 0) end(dayEndMs);
      openMs = dayEndMs;
    }
  });
  return bars;
}

/** Records each bar on which it decides, buys at one and sells at the next. */
class Flip extends Strategy {
  /** Time of the decision, and opening time of the bar. */
  static seen: (readonly [nowMs: number, openMs: number])[] = [];
  override onBar() {
    if (!this.bars.fresh) return;
    Flip.seen.push([this.nowMs, this.bars.bar.openMs]);
    if (this.position().isFlat) this.buy({ base: '0.01' });
    else this.exit();
  }
}

const journalledBars = (): BarRow[] =>
  bot.instants.flatMap(({ bars }) =>
    bars.map(([, openMs, open, high, low, close, volume, closeMs]): BarRow => [openMs!, closeMs!, open!, high!, low!, close!, volume!]),
  );

/** The bars in which each decision was made, from the counted ones: closing time and opening time. */
const timesOf = (bars: readonly BarRow[]) => bars.map(([openMs, closeMs]) => [closeMs, openMs]);
const MINUTE_MS = 60_000;

/** Starts a bot on bars of 25 trades, after a first minute of trades. */
async function startFlip(): Promise<void> {
  Flip.seen = [];
  bot = await TradeBot.open({ strategy: Flip, interval: '25ticks' });
  await bot.runTo(OPEN_MS + MINUTE_MS);
  await bot.start();
}

test('a bot decides on each bar from trades as a backtest counts it, over the end of a day, and a replay decides the same', async () => {
  Flip.seen = [];
  bot = await TradeBot.open({ strategy: Flip, interval: '25ticks' });
  await bot.runTo(OPEN_MS + 15 * MINUTE_MS);
  await bot.start();
  await bot.runTo(OPEN_MS + 30 * MINUTE_MS);
  await bot.kill();
  const bars = countedBars(bot.printed, 25);
  const journalled = journalledBars();
  expect(journalled).toEqual(bars.slice(0, journalled.length));
  const first = journalled.length - Flip.seen.length;
  expect(first).toBeGreaterThan(10);
  expect(Flip.seen).toEqual(timesOf(bars.slice(first, journalled.length)));
  expect(Flip.seen.length).toBeGreaterThan(15);
  expect(Flip.seen.map(([nowMs]) => nowMs)).toContain(OPEN_MS + 20 * MINUTE_MS);
  const replayed = await bot.replay();
  expect(replayed).toMatchObject({ difference: null, equalToUnstopped: true, missedBars: 0 });
  expect(replayed.decisions).toBeGreaterThan(15);
}, 600_000);

test.each(['0.5volume', '32000dollar', '40range'])(
  'a bot builds bars of %s while minute bars decide beside them',
  async (interval) => {
    const opens: number[] = [];
    class Both extends Strategy {
      minute = this.feed('minute');
      override onBar() {
        if (this.bars.fresh) opens.push(this.nowMs);
      }
    }
    const feeds = { bars: { symbol: 'BTCUSDT', interval }, minute: { symbol: 'BTCUSDT', interval: '1m' } };
    bot = await TradeBot.open({ strategy: Both, interval, more: { feeds } });
    await bot.runTo(OPEN_MS + 5 * MINUTE_MS);
    await bot.start();
    const fromMs = bot.time.nowMs;
    await bot.runTo(OPEN_MS + 15 * MINUTE_MS);
    await bot.kill();
    const closes = bot.instants.flatMap(({ bars }) => bars.flatMap(({ 7: closeMs = NaN }) => (closeMs > fromMs ? [closeMs] : [])));
    expect(closes.length).toBeGreaterThan(10);
    // A minute bar that comes earlier than a trade of the same minute waits for it.
    expect(opens).toEqual(closes);
    expect(await bot.replay()).toMatchObject({ difference: null, equalToUnstopped: true });
  },
  600_000,
);

test('a bar that ends shortly before a minute is decided on before the minute, although its trades come later than the minute bar', async () => {
  const times: (readonly [nowMs: number, isMinute: boolean])[] = [];
  class Both extends Strategy {
    minute = this.feed('minute');
    override onBar() {
      times.push([this.nowMs, this.minute.fresh]);
    }
  }
  const { ticks, lots, length } = recordedTrades(100, 1000);
  const timeMs = Float64Array.from({ length }, (_, index) => Math.max(0, index * 10_000 - 100));
  const feeds = { bars: { symbol: 'BTCUSDT', interval: '1ticks' }, minute: { symbol: 'BTCUSDT', interval: '1m' } };
  // Klines are requested as soon as they can be, and trades later.
  const bars = { delayMs: 400, spreadMs: 0, graceMs: 5000 };
  bot = await TradeBot.open({ strategy: Both, interval: '1ticks', trades: { ticks, lots, length, timeMs }, more: { feeds, bars } });
  await bot.runTo(OPEN_MS + MINUTE_MS);
  await bot.start();
  const fromMs = Math.ceil(bot.time.nowMs / MINUTE_MS) * MINUTE_MS;
  await bot.runTo(fromMs + 8 * MINUTE_MS + 30_000);
  await bot.kill();
  const expected = Array.from({ length: 9 }, (_, minute) => fromMs + minute * MINUTE_MS).flatMap((ms) => [
    [ms - 99, false],
    [ms, true],
  ]);
  expect(times.filter(([nowMs]) => nowMs % MINUTE_MS === 0 || nowMs % MINUTE_MS === MINUTE_MS - 99)).toEqual(expected);
}, 600_000);

test('a bot that is killed within a bar and started again ends the bar at the same trade, and decides like one that never stopped', async () => {
  await startFlip();
  await bot.until(() => Flip.seen.length === 5);
  await bot.runTo(bot.time.nowMs + 10_000);
  await bot.kill();
  await bot.start();
  // The restart repeats past decisions.
  await bot.until(() => new Set(Flip.seen.map(([nowMs]) => nowMs)).size >= 12);
  await bot.kill();
  const bars = countedBars(bot.printed, 25);
  const journalled = journalledBars();
  expect(journalled).toEqual(bars.slice(0, journalled.length));
  const replayed = await bot.replay();
  expect(replayed).toMatchObject({ difference: null, equalToUnstopped: true, processes: 2, missedBars: 0 });
}, 600_000);

test('bars that ended while the bot was down are delivered without a decision, and counting continues', async () => {
  await startFlip();
  await bot.until(() => Flip.seen.length === 3);
  await bot.kill();
  await bot.runTo(bot.time.nowMs + 5 * MINUTE_MS);
  await bot.start();
  await bot.until(() => new Set(Flip.seen.map(([nowMs]) => nowMs)).size >= 6);
  await bot.stop();
  const bars = countedBars(bot.printed, 25);
  const journalled = journalledBars();
  expect(journalled).toEqual(bars.slice(0, journalled.length));
  const { missedBars, difference } = await bot.replay();
  expect(missedBars).toBeGreaterThan(5);
  expect(difference).toBeNull();
}, 600_000);

test('missed trades make one bar incomplete: it is journalled and warned about, and the strategy decides on the bars around it alone', async () => {
  await startFlip();
  await bot.until(() => Flip.seen.length === 3);
  // The next poll shows the trade of the bot itself.
  await bot.runTo(bot.time.nowMs + 2000);
  bot.hideTrades(4);
  await bot.until(() => Flip.seen.length >= 7);
  await bot.stop();
  const facts = bot.instants.flatMap(({ bars, decided }) => (decided ? bars : []));
  const incomplete = facts.filter(({ length }) => length === 9);
  expect(incomplete).toHaveLength(1);
  const [, openMs, , , , , , closeMs] = incomplete[0]!;
  expect(Flip.seen.map(([, seenMs]) => seenMs)).not.toContain(openMs);
  expect(Flip.seen).toEqual(facts.filter(({ length }) => length === 8).map((bar) => [bar[7], bar[1]]));
  // The bar has the trades that the exchange still showed.
  const hidden = new Set(bot.hidden);
  expect(hidden.size).toBeGreaterThanOrEqual(4);
  const inBar = bot.printed.filter(({ timeMs, id }) => timeMs >= openMs! && timeMs < closeMs! && !hidden.has(id));
  expect(incomplete[0]![6]).toBe(inBar.reduce((sum, { lots }) => sum + lots, 0) / 1e5);
  const log = bot.lines.join('');
  expect(log).toContain('may be missing, because two polls share no trade id: the next bar is incomplete');
  expect(log).toContain('trades may be missing in the bar from');
  expect((await bot.replay()).difference).toBeNull();
}, 600_000);

test('a restart whose newest trades do not reach back to the last bar says so, and nobody decides on the next bar', async () => {
  await startFlip();
  await bot.until(() => Flip.seen.length === 3);
  await bot.kill();
  // More than the 1000 trades that the exchange shows.
  await bot.runTo(bot.time.nowMs + 40 * MINUTE_MS);
  await bot.start();
  expect(bot.lines.join('')).toContain('25ticks: the newest trades of the exchange do not reach back to 2024-01-01T23:4');
  await bot.until(() => new Set(Flip.seen.map(([nowMs]) => nowMs)).size >= 5);
  await bot.stop();
  expect(bot.instants.flatMap(({ bars }) => bars.filter(({ length }) => length === 9))).toHaveLength(1);
}, 600_000);

test('trades that a restart missed are an interruption, although no bar ended meanwhile', async () => {
  await startFlip();
  await bot.until(() => Flip.seen.length === 3);
  await bot.runTo(bot.time.nowMs + 5000);
  await bot.kill();
  bot.hideTrades(2);
  await bot.until(() => bot.printed.length >= bot.knownTrades + 4);
  await bot.start();
  await bot.until(() => new Set(Flip.seen.map(([nowMs]) => nowMs)).size >= 6);
  await bot.kill();
  expect(bot.instants.flatMap(({ bars }) => bars.filter(({ length }) => length === 9))).toHaveLength(1);
  expect(await bot.replay()).toMatchObject({
    difference: null,
    equalToUnstopped: false,
    interruption: 'trades were missed',
    missedBars: 0,
  });
}, 600_000);

test('warm-up bars come from trades of the catalog that reach the trades of the exchange', async () => {
  Flip.seen = [];
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
  await bot.until(() => Flip.seen.length >= 3);
  await bot.stop();
  const bars = countedBars(bot.printed, 25);
  const journalled = journalledBars();
  expect(bot.printed.length).toBeGreaterThan(1500);
  expect(journalled).toEqual(bars.slice(0, journalled.length));
  const lastClose = bars.findIndex(([, closeMs]) => closeMs === Flip.seen[0]![0]);
  const closes = bars.slice(lastClose - 49, lastClose + 1).map(({ 5: close }) => close);
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

/** Runs a bot until shortly after midnight, and imports all trades of the exchange. */
async function ranWithTrades(options: Omit<TradeBotOptions, 'strategy'>, act: () => Promise<void> = async () => {}): Promise<void> {
  Flip.seen = [];
  bot = await TradeBot.open({ strategy: Flip, ...options });
  await bot.runTo(OPEN_MS + MINUTE_MS);
  await bot.start();
  await bot.runTo(OPEN_MS + 8 * MINUTE_MS);
  await act();
  await bot.importTrades();
  await bot.runTo(OPEN_MS + 22 * MINUTE_MS);
  await bot.stop();
  await bot.runTo(OPEN_MS + 23 * MINUTE_MS);
  await bot.importTrades();
}

test('a bot on bars from trades equals its backtest over the trades of the exchange, also across midnight and a restart', async () => {
  await ranWithTrades({ interval: '5ticks', trades: sparseTrades() }, async () => {
    await bot.kill();
    await bot.start();
  });
  const report = await bot.parity();
  expect(report).toMatchObject({ equal: true, first: null, bridge: [], residual: '0' });
  expect(report.bars).toBeGreaterThan(20);
  expect(report.fills).toBeGreaterThan(20);
}, 600_000);

test('trades between bar and order are the fill model of parity, and the bars are equal', async () => {
  await ranWithTrades({ interval: '25ticks' });
  const report = await bot.parity();
  expect(report).toMatchObject({ equal: false, first: { what: 'fill' }, cause: 'fill model', residual: '0' });
  expect(report.bridge.map(({ cause }) => cause)).toEqual(['fill model']);
}, 600_000);

test('a bar on which the bot did not decide, because it missed trades, is a late bar of parity', async () => {
  await ranWithTrades({ interval: '5ticks', trades: sparseTrades() }, async () => {
    bot.hideTrades(3);
    await bot.until(() => bot.lines.some((line) => line.includes('trades may be missing in the bar')));
    bot.showTrades();
  });
  const report = await bot.parity();
  expect(report).toMatchObject({ equal: false, first: { what: 'bar' }, cause: 'late bar', residual: '0' });
  expect(report.bridge.map(({ cause }) => cause)).not.toContain('operator');
}, 600_000);
