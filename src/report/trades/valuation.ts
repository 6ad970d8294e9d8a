// Effect of fills on money: coins are bought and sold, contracts only change the value of a position.

import { pow10 } from '../../base/number/exact.ts';
import type { Instrument } from '../../model/instrument.ts';
import { ContractScale } from '../../portfolio/contractScale.ts';
import { InstrumentScale, quoteValueAt } from '../../portfolio/scale.ts';

/** Money in units of the reporting asset. `base` in units of the holding, below 0 for a short. Prices in ticks unless stated otherwise. */
export interface Valuation {
  /** Units of the holding in one lot. */
  readonly unitsPerLot: number;
  /**
   * Returns the effect of a fill of this value on cash. For a contract: on the profit of the position, if its exit is counted the same way.
   */
  flow(isBuy: boolean, valueUnits: number): number;
  /** Returns the value that a holding adds to those flows at a price. Flow plus value is the profit of everything traded up to now. */
  holdingValue(base: number, ticks: number): number;
  /** Returns the value of `lots` at a price. */
  value(lots: number, ticks: number): number;
  /** Returns the average price in ticks (a fraction) of `lots` at one price and `more` lots at another. */
  averageTicks(lots: number, ticks: number, more: number, moreTicks: number): number;
  /** Returns the average price, in the quote asset of the instrument, of what was traded. */
  price(of: Traded): number;
}

/** What was traded in one direction. `ticks` is the average price. */
export interface Traded {
  notional: number;
  lots: number;
  ticks: number;
}

/** The properties of a fill that affect a position. */
interface Filled {
  readonly isBuy: boolean;
  readonly notional: number;
  readonly lots: number;
  readonly fee: number;
  readonly feeInBase: boolean;
}

/** Returns the effect of a fill on money. The fee is included when it is paid in money. */
export function flowOf(valuation: Valuation, { isBuy, notional, fee, feeInBase }: Filled): number {
  return valuation.flow(isBuy, notional) - (feeInBase ? 0 : fee);
}

/** Returns the effect of a fill on the holding, in its units. */
export function baseOf({ unitsPerLot }: Valuation, { isBuy, lots, fee, feeInBase }: Filled): number {
  return (isBuy ? lots : -lots) * unitsPerLot - (feeInBase ? fee : 0);
}

/** Returns the smallest holding that is not dust: the size of the smallest order. */
export function dustBelow({ minLots }: Instrument, { unitsPerLot }: Valuation): number {
  return Math.max(minLots, 1) * unitsPerLot;
}

export function valuationOf(instrument: Instrument): Valuation {
  return instrument.contract === undefined ? coins(instrument) : contracts(instrument);
}

function coins(instrument: Instrument): Valuation {
  const { quoteDigits, quantityDigits } = instrument;
  const scale = new InstrumentScale(instrument);
  return {
    unitsPerLot: scale.unitsPerLot,
    flow: (isBuy, valueUnits) => (isBuy ? -valueUnits : valueUnits),
    holdingValue: (base, ticks) => (base < 0 ? -1 : 1) * quoteValueAt(Math.abs(base), ticks, scale.ofUnits),
    value: (lots, ticks) => quoteValueAt(lots * scale.unitsPerLot, ticks, scale.ofUnits),
    // Not used: the price of coins follows from their value.
    averageTicks: () => 0,
    price({ lots, notional: valueUnits }) {
      // Divides whole numbers first, so that an average that is a decimal price stays exact.
      const perLot = valueUnits / lots;
      return quoteDigits >= quantityDigits ? perLot / pow10(quoteDigits - quantityDigits) : perLot * pow10(quantityDigits - quoteDigits);
    },
  };
}

function contracts(instrument: Instrument): Valuation {
  const scale = new ContractScale(instrument);
  const { priceDigits } = instrument;
  // Buying an inverse contract sells the coin in which it settles.
  const isTurned = scale.isInverse;
  return {
    unitsPerLot: 1,
    flow: (isBuy, valueUnits) => (isBuy === isTurned ? valueUnits : -valueUnits),
    holdingValue(base, ticks) {
      const value = scale.valueOfLots(Math.abs(base), ticks);
      return base > 0 === isTurned ? -value : value;
    },
    value: (lots, ticks) => scale.valueOfLots(lots, ticks),
    // Values are whole units, which are coarse for an inverse contract. The average therefore uses the prices.
    averageTicks: (lots, ticks, more, moreTicks) => scale.averageTicks(lots, ticks, more, moreTicks),
    price: ({ lots, ticks }) => (lots > 0 ? ticks / pow10(priceDigits) : NaN),
  };
}
