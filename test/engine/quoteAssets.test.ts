// Tests cash in two quote assets in one run: a naive backtest in decimals predicts each fill, each denial and the equity of each instant.

import { describe, expect, it } from 'vitest';
import { Decimal, fromScaled } from '../../src/base/number/decimal.ts';
import { seededRng } from '../../src/base/number/rng.ts';
import { Strategy } from '../../src/index.ts';
import { instrumentId } from '../../src/model/instrument.ts';
import { ENDINGS, SIDES, type RunRecord } from '../../src/model/run/run.ts';
import { ConvertedLedger } from '../../src/portfolio/convertedLedger.ts';
import type { RiskLimits } from '../../src/risk/limits/limits.ts';
import { expectEqual } from '../fixtures/quickExpect.ts';
import { NaiveQuotes, type Act, type QuotesCase, type SeenMinute } from './naiveQuotes.ts';
import { barsOfRows, MINUTE, run, spotInstrument, START_MS, walkBars } from './backtestFixture.ts';

const ROW_COUNT = 120;
/** Decimals of money in USDT and in BTC. */
const MONEY_DIGITS = 8;

/** Returns a pair that is quoted in BTC. */
const pairInBtc = (base: string, priceDigits: number, quantityDigits: number) =>
  spotInstrument(base, { id: instrumentId('spot', `${base}BTC`), wireName: `${base}BTC`, quote: 'BTC', priceDigits, quantityDigits });
/** The symbols of a case: `start` is the first price and `step` the largest move of a row, both in ticks. */
const SYMBOLS = [
  { instrument: spotInstrument('BTC', { baseDigits: 8, quantityDigits: 5 }), start: 6_000_000, step: 60_000 },
  { instrument: pairInBtc('ETH', 5, 3), start: 5000, step: 60 },
  { instrument: pairInBtc('ADA', 7, 1), start: 8000, step: 80 },
  { instrument: spotInstrument('SOL', {}), start: 15_000, step: 200 },
] as const;
const FEED_NAMES = ['btc', 'eth', 'ada', 'sol'];
const CONVERSION_PAIRS = { BTC: instrumentId('spot', 'BTCUSDT') };
/** Number of random scripts. ISOBAR_SEEDS=3000 runs a campaign. */
const SCRIPTS = Number(process.env['ISOBAR_SEEDS'] ?? 320);

/** Draws bars with gaps, cash, fees and a script. */
function randomCase(seed: number): QuotesCase {
  const rng = seededRng(seed);
  const pick = (below: number) => Math.floor(rng.next() * below);
  const missing = [0, 0.1, 0.4][pick(3)]!;
  const bars = SYMBOLS.map(({ instrument, start, step }, index) =>
    walkBars({ rows: ROW_COUNT - pick(20), seed: seed * 10 + index, missing: pick(2) * missing, instrument, start, step }),
  );
  const script = new Map<number, Act[]>();
  // From minute 20 on every symbol has a price.
  for (let minute = 20; minute < ROW_COUNT; minute += 1 + pick(3)) {
    script.set(
      minute,
      Array.from({ length: 1 + pick(3) }, () => randomAct(pick)),
    );
  }
  const cash = { USDT: ['100000', '20000', '0'][pick(3)]!, BTC: ['1', '0.25', '3'][pick(3)]! };
  return { bars, script, cash, feesIn: pick(2) === 0 ? 'quote' : 'received', maxOrderNotional: pick(2) === 0 ? null : '25000' };
}

/** Draws one order of a random kind, symbol and size. */
function randomAct(pick: (below: number) => number): Act {
  const symbol = pick(SYMBOLS.length);
  const { instrument, start } = SYMBOLS[symbol]!;
  const { priceDigits, quantityDigits, quote } = instrument;
  const price = new Decimal(start + Math.round((pick(41) - 20) * start * 0.0025)).div(10 ** priceDigits);
  /** A quantity worth up to about 20,000 USDT. */
  const quantity = () =>
    new Decimal(1 + pick(20_000))
      .div(quote === 'BTC' ? 60_000 : 1)
      .div(price)
      .toDecimalPlaces(quantityDigits, Decimal.ROUND_DOWN)
      .toFixed();
  switch (pick(6)) {
    case 0:
      return {
        symbol,
        kind: 'buyQuote',
        amount: quote === 'BTC' ? new Decimal(1 + pick(60_000)).div(100_000).toFixed() : String(1 + pick(40_000)),
      };
    case 1:
      return { symbol, kind: 'buyEquity', amount: new Decimal(1 + pick(400)).div(1000).toFixed() };
    case 2:
      return { symbol, kind: 'buyLimit', amount: quantity(), limit: price.toFixed() };
    case 3:
      return { symbol, kind: 'sellLimit', amount: quantity(), limit: price.toFixed() };
    default:
      return { symbol, kind: 'sell', amount: quantity() };
  }
}

/** Returns a strategy that performs the acts of a script, and adds to `minutes` what it reads before them. */
function strategyOfScript(script: QuotesCase['script'], minutes: SeenMinute[]) {
  return class Scripted extends Strategy {
    all = FEED_NAMES.map((name) => this.feed(name));
    override onBar() {
      const minute = (this.nowMs - START_MS) / MINUTE;
      const acts = script.get(minute);
      if (acts === undefined) return;
      const decimalText = (value: number) => new Decimal(value).toFixed();
      minutes.push({
        minute,
        equity: decimalText(this.equity),
        equityIn: decimalText(this.equityIn('BTC')),
        cash: decimalText(this.cash),
        cashIn: decimalText(this.cashIn('BTC')),
      });
      for (const { symbol, kind, amount, limit } of acts) {
        const feed = this.all[symbol]!;
        if (this.openOrders(feed).length > 0) continue;
        const options = limit === undefined ? { feed } : { feed, limit };
        if (kind === 'buyQuote') this.buy({ quote: amount }, options);
        else if (kind === 'buyEquity') this.buy({ equity: amount }, options);
        else if (kind === 'buyLimit') this.buy({ base: amount }, options);
        else this.sell({ base: amount }, options);
      }
    }
  };
}

/** Runs a case. Returns its record, what the strategy read in each minute, and the books of both quote assets. */
async function runCase({ bars, script, cash, feesIn, maxOrderNotional }: QuotesCase, seed: number) {
  const minutes: SeenMinute[] = [];
  const { record, engine } = await run({
    strategies: [strategyOfScript(script, minutes)],
    feeds: Object.fromEntries(FEED_NAMES.map((name, index) => [name, bars[index]!])),
    cash,
    convert: CONVERSION_PAIRS,
    fees: { in: feesIn },
    fills: { collarPpm: 10_000 },
    ...(maxOrderNotional === null ? {} : { risk: { maxOrderNotional } }),
    blockRows: [1, 7, 512, 4096][seed % 4]!,
  });
  const { ledger } = engine;
  if (!(ledger instanceof ConvertedLedger)) throw new Error('expected books of several quote assets');
  return { record, minutes, ledger };
}

/** Returns the fills as text with exact decimals. */
function fillTexts({ fills, instruments }: RunRecord): string[] {
  const rows = Array.from({ length: fills.length }, (_, row) => {
    const { wireName, priceDigits, quantityDigits, baseDigits } = instruments[fills.instrument[row]!]!;
    const minute = (fills.timeMs[row]! - START_MS) / MINUTE;
    const fee = fromScaled(fills.fee[row]!, fills.feeInBase[row] === 1 ? baseDigits : MONEY_DIGITS);
    const price = fromScaled(fills.price[row]!, priceDigits);
    const quantity = fromScaled(fills.lots[row]!, quantityDigits);
    return [minute, wireName, SIDES[fills.side[row]!], trimmedDecimal(price), trimmedDecimal(quantity), trimmedDecimal(fee)].join(' ');
  });
  return rows.toSorted();
}
/** Returns the deny code of each order, or how it ended. */
const orderEndings = ({ orders }: RunRecord): string[] =>
  Array.from({ length: orders.length }, (_, row) => orders.texts[orders.code[row]!] || ENDINGS[orders.ending[row]!]!);
/** Returns the equity of each instant as `minute amount`. */
const equityTexts = ({ equity }: RunRecord): string[] =>
  Array.from({ length: equity.length }, (_, row) => {
    const minute = (equity.timeMs[row]! - START_MS) / MINUTE;
    return `${minute} ${trimmedDecimal(fromScaled(equity.units[row]!, MONEY_DIGITS))}`;
  });
/** Returns decimal text without trailing zeros. */
const trimmedDecimal = (text: string) => new Decimal(text).toFixed();

describe('cash in two quote assets', () => {
  it(`a run with cash in two quote assets equals a naive backtest in decimals over ${SCRIPTS} random scripts`, async () => {
    const counts: Record<string, number> = {};
    for (let seed = 1; seed <= SCRIPTS; seed++) {
      const quotesCase = randomCase(seed);
      const naive = new NaiveQuotes(quotesCase, FEED_NAMES.indexOf('btc')).run();
      const { record, minutes, ledger } = await runCase(quotesCase, seed);
      const caseName = `seed ${seed}`;
      expectEqual(minutes, naive.minutes, caseName);
      expectEqual(orderEndings(record), naive.endings, caseName);
      expectEqual(fillTexts(record), naive.fills.toSorted(), caseName);
      expectEqual(equityTexts(record), naive.equity, caseName);
      for (const asset of ['USDT', 'BTC'])
        expectEqual(trimmedDecimal(fromScaled(ledger.accountIn(asset)!.cashTotal, MONEY_DIGITS)), naive.cash[asset]!.toFixed(), caseName);
      for (const ending of naive.endings) counts[ending] = (counts[ending] ?? 0) + 1;
      for (const fill of naive.fills) {
        const symbol = fill.split(' ')[1]!;
        counts[symbol] = (counts[symbol] ?? 0) + 1;
      }
    }
    // Each ending and each symbol occurs often.
    for (const name of ['filled', 'MARGIN', 'NOTIONAL_MAX', 'BTCUSDT', 'ETHBTC', 'ADABTC', 'SOLUSDT'])
      expect(counts[name], name).toBeGreaterThan(SCRIPTS / 4);
  }, 120_000);
});

/** Bars whose prices never move: BTC costs 60,000 USDT, ETH 0.05 BTC and SOL 150 USDT. */
const FLAT = Object.fromEntries(
  SYMBOLS.map(({ instrument, start }, index) => [
    FEED_NAMES[index]!,
    barsOfRows(
      Array.from({ length: 20 }, () => [start, start, start, start] as const),
      instrument,
    ),
  ]),
);
const CASH = { USDT: '100000', BTC: '1' };

/** What a scripted act may do. */
interface ScriptedActions {
  buy(name: string, quote: string): void;
  rebalance(weights: Readonly<Record<string, string>>): void;
  heldText(name: string): string;
  cashIn(asset: string): number;
}

/** Runs acts by minute over flat bars, and returns the code or the ending of each order. */
async function endingsOf(risk: RiskLimits, acts: Readonly<Record<number, (actions: ScriptedActions) => void>>): Promise<readonly string[]> {
  const { record } = await run({
    strategies: [actingAt(acts)],
    feeds: FLAT,
    cash: CASH,
    convert: CONVERSION_PAIRS,
    risk,
    fees: { makerPpm: 0, takerPpm: 0 },
  });
  return orderEndings(record);
}
/** Returns a strategy that acts in these minutes. */
function actingAt(acts: Readonly<Record<number, (actions: ScriptedActions) => void>>) {
  return class ActsByMinute extends Strategy {
    all = FEED_NAMES.map((name) => this.feed(name));
    override onBar() {
      const feedOf = (name: string) => this.all[FEED_NAMES.indexOf(name)]!;
      acts[(this.nowMs - START_MS) / MINUTE]?.({
        buy: (name, quote) => this.buy({ quote }, { feed: feedOf(name) }),
        rebalance: (weights) => this.rebalance(weights),
        heldText: (name) => this.position(feedOf(name)).qty.toString(),
        cashIn: (asset) => this.cashIn(asset),
      });
    }
  };
}

describe('limits and weights with two quote assets', () => {
  it.each([
    ['POSITION_NOTIONAL', { maxPositionNotional: '25000' }, '0.3', '0.2'],
    ['PORTFOLIO', { maxGrossNotional: '25000' }, '0.3', '0.2'],
    // The equity is 160,000.
    ['LEVERAGE', { maxLeverage: '0.2' }, '0.5', '0.1'],
    ['CONCENTRATION', { maxConcentration: '0.2' }, '0.5', '0.1'],
    ['NOTIONAL_MAX', { maxOrderNotional: '18000' }, '0.3', '0.30000001'],
  ] as const)('%s counts a position in BTC at its value in USDT', async (code, risk, first, second) => {
    const endings = await endingsOf(risk, { 3: (actions) => actions.buy('eth', first), 6: (actions) => actions.buy('eth', second) });
    expect(endings).toEqual(['filled', code]);
  });

  it('orders in one quote asset do not use the cash in the other', async () => {
    const endings = await endingsOf(
      {},
      {
        3: (actions) => {
          actions.buy('sol', '100001');
          actions.buy('eth', '1.01');
        },
        6: (actions) => {
          actions.buy('sol', '100000');
          actions.buy('eth', '1');
        },
      },
    );
    expect(endings).toEqual(['MARGIN', 'MARGIN', 'filled', 'filled']);
  });

  it('weights are shares of the whole equity, and a purchase is limited to the cash of its own asset', async () => {
    const heldTexts: string[] = [];
    const endings = await endingsOf(
      {},
      {
        3: (actions) => actions.rebalance({ ETHBTC: '0.1', SOLUSDT: '0.3' }),
        8: (actions) => {
          heldTexts.push(actions.heldText('eth'), actions.heldText('sol'));
          actions.rebalance({ ETHBTC: '0.6', SOLUSDT: '0.3' });
        },
        13: (actions) => heldTexts.push(actions.heldText('eth'), actions.heldText('sol'), String(actions.cashIn('BTC'))),
      },
    );
    expect(endings).toEqual(['filled', 'filled', 'filled']);
    // 16,000 USDT are 0.2666 BTC and 5.333 ETH; 48,000 USDT are 320 SOL; the whole BTC buys 20 ETH.
    expect(heldTexts).toEqual(['5.333', '320', '20', '320', '0']);
  });

  it('cash of an unknown asset is an error that names the known ones', async () => {
    await expect(endingsOf({}, { 3: (actions) => void actions.cashIn('EUR') })).rejects.toThrow(
      'cashIn of EUR, in which this run has no cash',
    );
  });
});
