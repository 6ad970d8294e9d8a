// Computes the net profit of a bot with cash in USDT and BTC from its journal alone, in decimals. It shares no code with the tested comparison.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Decimal } from '../../src/base/number/decimal.ts';

/** The members of journal records that are read here. */
export interface JournalMembers {
  readonly k: string;
  readonly decided?: boolean;
  readonly atMs?: number;
  readonly bars?: readonly (readonly number[])[];
  readonly symbol?: string;
  readonly side?: string;
  readonly qty?: string;
  readonly notional?: string;
  readonly fee?: string;
  readonly feeCoin?: string;
  readonly cid?: string;
  readonly order?: number;
  readonly executedMs?: number;
}

/** Rounds money half up to its smallest unit, 10^-8. */
export const roundedToUnit = (value: Decimal): Decimal => value.toDecimalPlaces(8, Decimal.ROUND_HALF_UP);

/** Returns the records of a bot's journal. */
export function journalOf(botFolder: string): readonly JournalMembers[] {
  const journal = join(botFolder, 'journal');
  const files = readdirSync(journal).filter((name) => name.endsWith('.jsonl'));
  const lines = files.toSorted().flatMap((name) => readFileSync(join(journal, name), 'utf8').trim().split('\n'));
  return lines.map((line) => JSON.parse(line) as JournalMembers);
}

/** True for an instant with bars at which the bot decided. */
export const isDecided = ({ k, decided, bars }: JournalMembers): boolean => k === 'INSTANT' && decided === true && (bars ?? []).length > 0;

/** Feeds of the bot in its journal. */
const BTCUSDT_FEED = 0;
const ETHBTC_FEED = 1;
/** Place of the close in a bar of a record: the index of its feed, its open time, then its prices. */
const CLOSE_INDEX = 5;

/**
 * Returns the net profit in USDT until the last decision. Amounts in BTC are summed in BTC, and the sum is converted with the last close of
 * BTCUSDT before that decision. Each value is rounded to a unit, as the ledger does. `startClose` is the close of BTCUSDT before the first
 * decision, at which the start cash is converted. Throws if the bot never decided.
 */
export function netInUsdt(
  records: readonly JournalMembers[],
  startCash: { readonly USDT: Decimal.Value; readonly BTC: Decimal.Value },
  startClose: number,
): string {
  const lastDecision = records.findLastIndex(isDecided);
  if (lastDecision < 0) throw new Error('the journal has no decision');
  // BTC is both: money that ETHBTC is paid with, and a coin that BTCUSDT buys. The ledger values the two separately.
  const cash = { USDT: new Decimal(startCash.USDT), BTC: new Decimal(startCash.BTC) };
  const coins = { BTC: new Decimal(0), ETH: new Decimal(0) };
  for (const { k, symbol, side, qty, notional, fee, feeCoin } of records.slice(0, lastDecision)) {
    if (k !== 'FILL') continue;
    const [base, quote] = symbol!.includes('ETH') ? (['ETH', 'BTC'] as const) : (['BTC', 'USDT'] as const);
    const sign = side === 'buy' ? 1 : -1;
    cash[quote] = cash[quote].minus(new Decimal(notional!).times(sign));
    coins[base] = coins[base].plus(new Decimal(qty!).times(sign));
    if (feeCoin === quote) cash[quote] = cash[quote].minus(fee!);
    else coins[base] = coins[base].minus(fee!);
  }
  // The record of the last decision has the bars with which the positions are valued, so it is included here.
  const closeByFeed = new Map<number, number>();
  for (const { k, bars } of records.slice(0, lastDecision + 1))
    if (k === 'INSTANT') for (const bar of bars!) closeByFeed.set(bar[0]!, bar[CLOSE_INDEX]!);
  const btcRate = new Decimal(String(closeByFeed.get(BTCUSDT_FEED)));
  const ethRate = new Decimal(String(closeByFeed.get(ETHBTC_FEED)));
  const endBtc = cash.BTC.plus(roundedToUnit(coins.ETH.times(ethRate)));
  const endUsdt = cash.USDT.plus(roundedToUnit(coins.BTC.times(btcRate))).plus(roundedToUnit(endBtc.times(btcRate)));
  const startUsdt = new Decimal(startCash.USDT).plus(roundedToUnit(new Decimal(startCash.BTC).times(String(startClose))));
  return endUsdt.minus(startUsdt).toFixed();
}
