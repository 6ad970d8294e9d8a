// Stored records of everything except orders and trades: money, positions, settings, prices, bars. A later record replaces an earlier one.

import { INTERVALS } from '../../model/interval.ts';
import {
  storedCount,
  storedFlag,
  storedGroup,
  storedList,
  storedChoice,
  storedOptional,
  storedReal,
  storedSum,
  storedText,
  storedInteger,
} from '../records/fields.ts';
import { storedRecord, type StoredRecordOf } from '../records/record.ts';
import { MARKET } from './orderRecords.ts';

/** Spot balance of an account, in units of the asset. */
export const balanceRecord = storedRecord('balance', { uid: storedText, asset: storedText, free: storedInteger, locked: storedInteger });

/** Futures balance: the members of `Wallet`. */
export const walletRecord = storedRecord('wallet', {
  uid: storedText,
  asset: storedText,
  free: storedInteger,
  locked: storedInteger,
  deposited: storedInteger,
  realised: storedInteger,
  fees: storedInteger,
  funding: storedInteger,
  liquidationFees: storedInteger,
  covered: storedInteger,
});

/** Sums that belong to no account. They are the other side of the accounts' money, so that money is conserved. */
export const totalsRecord = storedRecord('totals', {
  market: MARKET,
  asset: storedText,
  fees: storedInteger,
  external: storedInteger,
  insurance: storedInteger,
  deposited: storedInteger,
});

/**
 * The members of `Position`, and the fees and funding that the profit history has reported. `side`: index among the account's positions in
 * the contract.
 */
export const positionRecord = storedRecord('position', {
  uid: storedText,
  symbol: storedText,
  side: storedChoice(0, 1),
  isLong: storedFlag,
  lots: storedCount,
  entryUnits: storedInteger,
  openedLots: storedSum,
  openedTicks: storedReal,
  averageTicks: storedReal,
  marginUnits: storedInteger,
  leverage: storedCount,
  isCross: storedFlag,
  heldLots: storedCount,
  realisedUnits: storedInteger,
  feeUnits: storedInteger,
  fundingUnits: storedInteger,
  id: storedCount,
  openedMs: storedCount,
  changedMs: storedCount,
  reported: storedOptional(storedGroup({ positionId: storedCount, feeUnits: storedInteger, fundingUnits: storedInteger })),
});

/** Settings of an account on a contract. */
export const settingRecord = storedRecord('setting', {
  uid: storedText,
  symbol: storedText,
  leverage: storedCount,
  isCross: storedFlag,
  isNet: storedFlag,
});

/** The highest ids that were given. Those of trades and background orders are upper bounds: ids up to them may have been reported already. */
export const countersRecord = storedRecord('counters', {
  market: MARKET,
  orders: storedCount,
  trades: storedCount,
  background: storedCount,
  rested: storedCount,
  positions: storedCount,
});

/** The last price, the mark price and the reference price of an instrument, in ticks. */
export const pricesRecord = storedRecord('prices', {
  market: MARKET,
  symbol: storedText,
  lastPrice: storedCount,
  mark: storedCount,
  referencePrice: storedReal,
});

/** Bars as columns: entry `i` of each belongs to bar `i`. */
const COLUMNS = {
  openMs: storedList(storedCount),
  open: storedList(storedInteger),
  high: storedList(storedInteger),
  low: storedList(storedInteger),
  close: storedList(storedInteger),
  lots: storedList(storedSum),
};
/** Bars of consecutive minutes. */
export const minutesRecord = storedRecord('minutes', { market: MARKET, symbol: storedText, ...COLUMNS });
/** All bars of an interval, at the start of a file. */
export const barsRecord = storedRecord('bars', { market: MARKET, symbol: storedText, interval: storedChoice(...INTERVALS), ...COLUMNS });

/** Ms by which the clock of requests is ahead. */
export const clockRecord = storedRecord('clock', { offsetMs: storedInteger });

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
