// Stored records of everything except orders and trades: money, positions, settings, prices, bars. A later record replaces an earlier one.

import { INTERVALS } from '../../model/interval.ts';
import { count, flag, group, storedList, oneOf, optional, real, sum, text, whole } from '../records/fields.ts';
import { record, type StoredRecordOf } from '../records/record.ts';
import { MARKET } from './orderRecords.ts';

/** Spot balance of an account, in units of the asset. */
export const balanceRecord = record('balance', { uid: text, asset: text, free: whole, locked: whole });

/** Futures balance: the members of `Wallet`. */
export const walletRecord = record('wallet', {
  uid: text,
  asset: text,
  free: whole,
  locked: whole,
  deposited: whole,
  realised: whole,
  fees: whole,
  funding: whole,
  liquidationFees: whole,
  covered: whole,
});

/** Sums that belong to no account. They are the other side of the accounts' money, so that money is conserved. */
export const totalsRecord = record('totals', {
  market: MARKET,
  asset: text,
  fees: whole,
  external: whole,
  insurance: whole,
  deposited: whole,
});

/** The members of `Position`, and the fees and funding that the profit history has reported. `side`: index among the account's positions in the contract. */
export const positionRecord = record('position', {
  uid: text,
  symbol: text,
  side: oneOf(0, 1),
  isLong: flag,
  lots: count,
  entryUnits: whole,
  openedLots: sum,
  openedTicks: real,
  averageTicks: real,
  marginUnits: whole,
  leverage: count,
  isCross: flag,
  heldLots: count,
  realisedUnits: whole,
  feeUnits: whole,
  fundingUnits: whole,
  id: count,
  openedMs: count,
  changedMs: count,
  reported: optional(group({ positionId: count, feeUnits: whole, fundingUnits: whole })),
});

/** Settings of an account on a contract. */
export const settingRecord = record('setting', { uid: text, symbol: text, leverage: count, isCross: flag, isNet: flag });

/** Counters of ids. Those of trades and background orders are upper bounds: ids up to them may have been reported already. */
export const countersRecord = record('counters', {
  market: MARKET,
  orders: count,
  trades: count,
  background: count,
  rested: count,
  positions: count,
});

/** Prices in ticks. */
export const pricesRecord = record('prices', { market: MARKET, symbol: text, lastPrice: count, mark: count, referencePrice: real });

/** Bars as columns: entry `i` of each belongs to bar `i`. */
const COLUMNS = {
  openMs: storedList(count),
  open: storedList(whole),
  high: storedList(whole),
  low: storedList(whole),
  close: storedList(whole),
  lots: storedList(sum),
};
/** Consecutive minutes. */
export const minutesRecord = record('minutes', { market: MARKET, symbol: text, ...COLUMNS });
/** All bars of an interval, at the start of a file. */
export const barsRecord = record('bars', { market: MARKET, symbol: text, interval: oneOf(...INTERVALS), ...COLUMNS });

/** Ms by which the clock of requests is ahead. */
export const clockRecord = record('clock', { offsetMs: whole });

/** The fields of `balanceRecord`. */
export type BalanceRecord = StoredRecordOf<typeof balanceRecord>;
/** The fields of `walletRecord`. */
export type WalletRecord = StoredRecordOf<typeof walletRecord>;
/** The fields of `totalsRecord`. */
export type TotalsRecord = StoredRecordOf<typeof totalsRecord>;
/** The fields of `positionRecord`. */
export type PositionRecord = StoredRecordOf<typeof positionRecord>;
/** The fields of `settingRecord`. */
export type SettingRecord = StoredRecordOf<typeof settingRecord>;
/** The fields of `countersRecord`. */
export type CountersRecord = StoredRecordOf<typeof countersRecord>;
/** The fields of `pricesRecord`. */
export type PricesRecord = StoredRecordOf<typeof pricesRecord>;
/** The fields of `minutesRecord`. */
export type MinutesRecord = StoredRecordOf<typeof minutesRecord>;
/** The fields of `barsRecord`. */
export type BarsRecord = StoredRecordOf<typeof barsRecord>;
