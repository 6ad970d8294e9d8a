// What lasts beside orders and trades, as rows: money, positions, settings, triggers, prices, bars. Of each the latest row holds.

import type { Interval } from '../../model/interval.ts';
import type { Market } from '../../model/instrument.ts';
import type { OrderRole, Side } from '../../model/order.ts';
import type { TriggerKind, VenueTriggerStatus } from '../../venue/futures/triggers.ts';

/** Money of an account on spot, in units of the asset. */
export type BalanceRow = readonly [kind: 'b', uid: string, asset: string, free: number, locked: number];
/** The same on futures: the members of `Wallet`, in their order. */
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
/** What is nobody's: the other sides of the sums by which money is conserved. */
export type TotalsRow = readonly [
  kind: 'x',
  market: Market,
  asset: string,
  fees: number,
  outside: number,
  insurance: number,
  deposited: number,
];
/** The members of `Position`, in their order, and what of it the profit history has told. */
export type StoredPositionRow = readonly [
  kind: 'p',
  uid: string,
  symbol: string,
  side: 0 | 1,
  isLong: boolean,
  lots: number,
  entryUnits: number,
  openedLots: number,
  /** Before format 3: what they were worth, in units. */
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
  /** Not before format 3. */
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
  /** Where it is not `placedMs`. */
  sinceMs?: number,
];
/** Numbers that are counted up. Of trades and of orders of the background it is what may have been told by now, not what has been. */
export type CountersRow = readonly [
  kind: 'c',
  market: Market,
  orders: number,
  trades: number,
  background: number,
  rested: number,
  positions: number,
];
/** Ticks. */
export type PriceRow = readonly [kind: 'm', market: Market, symbol: string, lastPrice: number, mark: number, outsidePrice: number];
/** openMs, open, high, low, close and lots of one minute after the other. */
export type MinutesRow = readonly [kind: 'k', market: Market, symbol: string, ...numbers: number[]];
/** The same for all bars of an interval, when a file begins. */
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
