// The position and account resources that the exchange shows (specification 2.2).

import type { Instrument } from '../../model/instrument.ts';
import type { FuturesVenue } from './futuresVenue.ts';
import type { VenuePosition } from './position.ts';

// hot: docs/performance.md#file-constants
const NAN = NaN;

/**
 * A position as the exchange shows it. Money in settlement units, volumes in lots, times in ms UTC. Prices are ticks with a fraction, because
 * averages lie between ticks.
 */
export interface VenuePositionView {
  readonly instrument: Instrument;
  readonly id: number;
  readonly isLong: boolean;
  readonly isCross: boolean;
  readonly leverage: number;
  readonly lots: number;
  /** Lots minus those that closing orders hold. */
  readonly canCloseLots: number;
  /** Margin of the position: all of an isolated one, the initial margin of a cross one. */
  readonly holdUnits: number;
  /** Average price of all lots since it opened, and of the current lots, in ticks with a fraction; NaN when flat. */
  readonly openTicks: number;
  readonly averageTicks: number;
  /** Profit of reductions since it opened, and profit of the current lots at the mark. */
  readonly realisedUnits: number;
  readonly unrealisedUnits: number;
  readonly feeUnits: number;
  readonly fundingUnits: number;
  /** In ticks. 0 for a long, Infinity for a short, if no price leads to liquidation. */
  readonly liquidationTicks: number;
  /** Rate of its maintenance tier, ppm. */
  readonly maintenancePpm: number;
  /**
   * Margin plus profit, divided by the value at the mark; 1 for a position with a value below one unit. The position is liquidated when it
   * falls to the maintenance rate.
   */
  readonly marginRate: number;
  readonly openedMs: number;
  readonly changedMs: number;
}

/** Returns a position as the exchange shows it, at the last mark. */
export function positionView(venue: FuturesVenue, position: Readonly<VenuePosition>, instrument: Instrument): VenuePositionView {
  const book = venue.book(instrument);
  const { money } = book.terms;
  const { lots, entryUnits, openedLots, marginUnits } = position;
  const value = lots > 0 && book.markTicks > 0 ? money.value(lots, book.markTicks) : entryUnits;
  const unrealisedUnits = venue.unrealisedProfit(position);
  return {
    instrument,
    id: position.id,
    isLong: position.isLong,
    isCross: position.isCross,
    leverage: position.leverage,
    lots,
    canCloseLots: book.closable(position),
    holdUnits: marginUnits,
    openTicks: openedLots > 0 ? position.openedTicks : NAN,
    averageTicks: lots > 0 ? position.averageTicks : NAN,
    realisedUnits: position.realisedUnits,
    unrealisedUnits,
    feeUnits: position.feeUnits,
    fundingUnits: position.fundingUnits,
    liquidationTicks: venue.liquidationTicks(position),
    maintenancePpm: money.maintenancePpm(value),
    marginRate: value === 0 ? 1 : (marginUnits + unrealisedUnits) / value,
    openedMs: position.openedMs,
    changedMs: position.changedMs,
  };
}

/** One account in one settlement asset, in units of it. */
export interface AccountView {
  readonly asset: string;
  /** accountNormal: available to the account; accountLock: held by working orders. Their sum is the wallet balance. */
  readonly normalUnits: number;
  readonly lockedUnits: number;
  /** Margin of isolated positions, and initial margin of cross positions. */
  readonly isolatedMarginUnits: number;
  readonly crossMarginUnits: number;
  /** Realised since the account was opened, and unrealised at the marks. */
  readonly achievedUnits: number;
  readonly unrealisedUnits: number;
  /** totalEquity: everything that backs cross positions, with their profit; partEquity: isolated margins with their profit. */
  readonly crossEquityUnits: number;
  readonly isolatedEquityUnits: number;
  readonly positions: readonly Readonly<VenuePosition>[];
}

/** Returns an account in one asset as the exchange shows it. */
export function accountView(venue: FuturesVenue, accountIndex: number, asset: string): AccountView {
  const { wallets } = venue;
  const index = wallets.asset(asset);
  const { free, locked, realised } = wallets.wallet(accountIndex, index);
  const positions = [...wallets.openPositions(accountIndex, index)];
  const sum = (isCross: boolean, valueOf: (position: Readonly<VenuePosition>) => number): number =>
    positions.reduce((units, position) => (position.isCross === isCross ? units + valueOf(position) : units), 0);
  const profit = (position: Readonly<VenuePosition>): number => venue.unrealisedProfit(position);
  const margin = ({ marginUnits }: Readonly<VenuePosition>): number => marginUnits;
  const isolatedMarginUnits = sum(false, margin);
  const crossMarginUnits = sum(true, margin);
  const isolatedProfit = sum(false, profit);
  const crossProfit = sum(true, profit);
  return {
    asset,
    normalUnits: free,
    lockedUnits: locked,
    isolatedMarginUnits,
    crossMarginUnits,
    achievedUnits: realised,
    unrealisedUnits: isolatedProfit + crossProfit,
    crossEquityUnits: free + locked + crossMarginUnits + crossProfit,
    isolatedEquityUnits: isolatedMarginUnits + isolatedProfit,
    positions,
  };
}
