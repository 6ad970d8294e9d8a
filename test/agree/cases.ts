// Makes the cases on which `npm run agree` compares isobar with other tools: a strategy with its parameters, on seeded bars.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateInto } from '../../src/adapters/catalog/generate/generateInto.ts';
import { crossedDown, crossedUp, int, sma, Strategy } from '../../src/index.ts';
import { backtest, generateBars, type BacktestResult, type CodeOptions } from '../../src/run.ts';
import type { Book } from './books.ts';

/** A spot market that is only bought, or a contract that is held long or short all the time. */
export type AgreeMarket = 'spot' | 'futures';

/** One strategy with its parameters on one seeded series. */
export interface AgreeCase {
  readonly market: AgreeMarket;
  readonly seed: number;
  /** Lengths of the averages in bars. */
  readonly fast: number;
  readonly slow: number;
  /** Whole coins an order, so that all tools trade the same. */
  readonly size: number;
  /** Fraction of the notional of a fill. */
  readonly fee: number;
  /** Cash at the start, in the quote asset. */
  readonly cash: number;
  /** Number of bars. */
  readonly bars: number;
}

const AVERAGES = { fast: int(10, { min: 2 }), slow: int(30, { min: 3 }) };
/** A generated contract is a thousandth of its coin. */
const CONTRACTS_PER_COIN = 1000;

/** Long while the fast average is above the slow one. */
class Cross extends Strategy.with(AVERAGES) {
  fast = this.use(sma(this.bars.close, this.params.fast));
  slow = this.use(sma(this.bars.close, this.params.slow));
  up = this.when(crossedUp(this.fast, this.slow), () => {
    if (this.position().isFlat) this.buy();
  });
  down = this.when(crossedDown(this.fast, this.slow), () => {
    this.exit();
  });
}

/** Turns between long and short at each crossing. */
class LongOrShort extends Strategy.with({ ...AVERAGES, contracts: int(1000, { min: 1 }) }) {
  fast = this.use(sma(this.bars.close, this.params.fast));
  slow = this.use(sma(this.bars.close, this.params.slow));
  up = this.when(crossedUp(this.fast, this.slow), () => {
    this.target({ base: String(this.params.contracts) });
  });
  down = this.when(crossedDown(this.fast, this.slow), () => {
    this.target({ base: String(-this.params.contracts) });
  });
}

/** Returns the case of a seed: averages, size and fee follow from it. */
export function caseOf(market: AgreeMarket, seed: number, bars: number): AgreeCase {
  const fast = 4 + (seed % 5) * 3;
  const slow = 20 + (seed % 4) * 9;
  const size = 1 + (seed % 7);
  const fee = (seed % 3) * 0.0005;
  return { market, seed, fast, slow, size, fee, cash: 10_000, bars };
}

/** A run of isobar, with the bars on which the other tools run. */
export interface OwnRun {
  readonly book: Book;
  /** The bars of the run by the names of their columns. */
  readonly columns: Readonly<Record<string, readonly number[]>>;
}

const COLUMNS = ['openMs', 'open', 'high', 'low', 'close', 'volume'] as const;

/** Runs a case in isobar. */
export async function runOwn(agreeCase: AgreeCase): Promise<OwnRun> {
  const folder = mkdtempSync(join(tmpdir(), 'isobar-agree-'));
  try {
    const result = await backtest(agreeCase.market === 'spot' ? spotOptions(agreeCase) : futuresOptions(agreeCase, folder));
    const { bars } = result.record.feeds[0]!;
    return { book: bookOf(result, agreeCase), columns: Object.fromEntries(COLUMNS.map((name) => [name, Array.from(bars[name])])) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Returns the cash and the fees of a case. */
function moneyOptions({ cash, fee }: AgreeCase): Pick<CodeOptions, 'cash' | 'fees'> {
  return { cash: String(cash), fees: { maker: String(fee), taker: String(fee), in: 'quote' } };
}

/** Returns the run of a spot case. */
function spotOptions(agreeCase: AgreeCase): CodeOptions {
  const { fast, slow, size, seed, bars } = agreeCase;
  const data = generateBars({ symbol: 'SYNUSDT', interval: '1h', bars, seed, price: 100 });
  return { ...moneyOptions(agreeCase), strategy: Cross, params: { fast, slow }, size: { base: String(size) }, data };
}

/** Returns the run of a futures case, without marks and funding, which the other tools do not know. */
function futuresOptions(agreeCase: AgreeCase, catalog: string): CodeOptions {
  const { fast, slow, size, seed, bars } = agreeCase;
  generateInto(catalog, { symbol: 'SYNUSDT', market: 'futures', interval: '1h', fromMs: Date.UTC(2024, 0, 1), bars, seed, price: 100 });
  rmSync(join(catalog, 'futures', 'SYNUSDT', 'funding.arrow'));
  return {
    ...moneyOptions(agreeCase),
    strategy: LongOrShort,
    params: { fast, slow, contracts: size * CONTRACTS_PER_COIN },
    market: 'futures',
    futures: { leverage: 2, marks: 'bars' },
    feeds: { bars: { symbol: 'SYNUSDT', interval: '1h' } },
    catalog,
  };
}

/** Returns trades and equity. A short trade has a size below 0. */
function bookOf({ trades, equity }: BacktestResult, { market }: AgreeCase): Book {
  const { side, entryMs, exitMs, entryPrice, exitPrice, quantity, pnl } = trades;
  const coinsPerUnit = market === 'spot' ? 1 : 1 / CONTRACTS_PER_COIN;
  return {
    trades: Array.from(pnl, (profit, row) => [
      entryMs[row]!,
      exitMs[row]!,
      entryPrice[row]!,
      exitPrice[row]!,
      quantity[row]! * coinsPerUnit * (side[row] === 'short' ? -1 : 1),
      profit,
    ]),
    equity: Array.from(equity.equity),
  };
}
