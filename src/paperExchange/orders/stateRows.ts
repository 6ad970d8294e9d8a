// Stored rows of everything except orders and trades: money, positions, settings, triggers, prices, bars. The latest row of each holds.

import type { Interval } from '../../model/interval.ts';
import type { Market } from '../../model/instrument.ts';
import type { OrderRole, Side } from '../../model/order.ts';
import type { TriggerKind, VenueTriggerStatus } from '../../venue/futures/triggers.ts';

/** Spot balance of an account, in units of the asset. */
export type BalanceRow = readonly [kind: 'b', uid: string, asset: string, free: number, locked: number];
/** Futures balance: the members of `Wallet`, in their order. */
export type WalletRow = readonly [
  kind: 'w',
  uid: string,
  asset: string,
  free: number,
  locked: number,
  deposited: number,
  realised: number,
  fees: number,
  funding: number,
  liquidationFees: number,
  covered: number,
];
/** Sums that belong to no account. They are the other side of the accounts' money, so that money is conserved. */
export type TotalsRow = readonly [
  kind: 'x',
  market: Market,
  asset: string,
  fees: number,
  outside: number,
  insurance: number,
  deposited: number,
];
/** The members of `Position`, in their order, and what the profit history has reported of it. */
export type StoredPositionRow = readonly [
  kind: 'p',
  uid: string,
  symbol: string,
  side: 0 | 1,
  isLong: boolean,
  lots: number,
  entryUnits: number,
  openedLots: number,
  /** Before format 3: their value, in units. */
  openedTicks: number,
  marginUnits: number,
  leverage: number,
  isCross: boolean,
  heldLots: number,
  realisedUnits: number,
  feeUnits: number,
  fundingUnits: number,
  id: number,
  openedMs: number,
  changedMs: number,
  told: readonly [positionId: number, feeUnits: number, fundingUnits: number] | null,
  /** From format 3 on. */
  averageTicks?: number,
];
export type SettingRow = readonly [kind: 's', uid: string, symbol: string, leverage: number, isCross: boolean, isNet: boolean];
export type TriggerRow = readonly [
  kind: 'g',
  id: number,
  uid: string,
  clientOrderId: string | null,
  trigger: TriggerKind,
  price: number,
  symbol: string,
  side: Side,
  role: OrderRole,
  lots: number,
  limit: number,
  reduceOnly: boolean,
  placedMs: number,
  status: VenueTriggerStatus,
  code: number,
  /** Present if it differs from `placedMs`. */
  sinceMs?: number,
];
/** Counters. Those of trades and background orders are upper bounds: ids up to them may have been reported already. */
export type CountersRow = readonly [
  kind: 'c',
  market: Market,
  orders: number,
  trades: number,
  background: number,
  rested: number,
  positions: number,
];
/** Prices in ticks. */
export type PriceRow = readonly [kind: 'm', market: Market, symbol: string, lastPrice: number, mark: number, outsidePrice: number];
/** openMs, open, high, low, close and lots of consecutive minutes. */
export type MinutesRow = readonly [kind: 'k', market: Market, symbol: string, ...numbers: number[]];
/** The same for all bars of an interval, at the start of a file. */
export type BarsRow = readonly [kind: 'K', market: Market, symbol: string, interval: Interval, ...numbers: number[]];
/** Ms by which the clock of requests is ahead. */
export type ClockRow = readonly [kind: 'j', offsetMs: number];

export type StateRow =
  | BalanceRow
  | WalletRow
  | TotalsRow
  | StoredPositionRow
  | SettingRow
  | TriggerRow
  | CountersRow
  | PriceRow
  | MinutesRow
  | BarsRow
  | ClockRow;
