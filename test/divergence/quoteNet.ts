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
export const inUnits = (value: Decimal): Decimal => value.toDecimalPlaces(8, Decimal.ROUND_HALF_UP);

/** Returns the records of a bot's journal. */
export function journalOf(botFolder: string): readonly JournalMembers[] {
  const journal = join(botFolder, 'journal');
  const files = readdirSync(journal).filter((name) => name.endsWith('.jsonl'));
  const lines = files.toSorted().flatMap((name) => readFileSync(join(journal, name), 'utf8').trim().split('\n'));
  return lines.map((line) => JSON.parse(line) as JournalMembers);
}

/** True for an instant with bars at which the bot decided. */
export const isDecided = ({ k, decided, bars }: JournalMembers): boolean => k === 'INSTANT' && decided === true && (bars ?? []).length > 0;

/**
 * Returns the net profit in USDT: money of BTC is summed in BTC, converted at a close and rounded once. Feed 0 is BTCUSDT, feed 1 ETHBTC.
 * `startClose`: the close of the conversion at the start.
 */
export function netOfJournal(
  records: readonly JournalMembers[],
  startCash: { readonly USDT: Decimal.Value; readonly BTC: Decimal.Value },
  startClose: number,
): string {
  const lastDecision = records.findLastIndex(isDecided);
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
  const closeByFeed = new Map<number, number>();
  for (const { k, bars } of records.slice(0, lastDecision + 1))
    if (k === 'INSTANT') for (const [feed, , , , , close] of bars!) closeByFeed.set(feed!, close!);
  const btcRate = new Decimal(String(closeByFeed.get(0)));
  const endBtc = cash.BTC.plus(inUnits(coins.ETH.times(String(closeByFeed.get(1)))));
  const endUsdt = cash.USDT.plus(inUnits(coins.BTC.times(btcRate))).plus(inUnits(endBtc.times(btcRate)));
  const startUsdt = new Decimal(startCash.USDT).plus(inUnits(new Decimal(startCash.BTC).times(String(startClose))));
  return endUsdt.minus(startUsdt).toFixed();
}
