// Computes the effect of fills on money: coins are bought and sold, contracts only change the value of a position.

import { pow10 } from '../../base/number/exact.ts';
import type { Instrument } from '../../model/instrument.ts';
import { ContractScale } from '../../portfolio/contractScale.ts';
import { InstrumentScale, quoteValueAt } from '../../portfolio/scale.ts';

/**
 * Values fills and holdings of one instrument. Money is in units of the reporting asset. `base` is in units of the holding, below 0 for a
 * short. Prices are in ticks unless stated otherwise.
 */
export interface Valuation {
  /** Units of the holding in one lot. */
  readonly unitsPerLot: number;
  /**
   * Returns the effect of a fill of this value on cash. For a contract, returns the effect on the profit of the position, whose exit is
   * counted in the same way.
   */
  flow(isBuy: boolean, valueUnits: number): number;
  /** Returns the value of a holding at a price. All flows plus this value are the profit of all fills up to now. */
  holdingValue(base: number, ticks: number): number;
  /** Returns the value of `lots` at a price. */
  value(lots: number, ticks: number): number;
  /** Returns the average price in ticks (a fraction) of `lots` at one price and `moreLots` at another. */
  averageTicks(lots: number, ticks: number, moreLots: number, moreTicks: number): number;
  /** Returns the average price of `traded` in the quote asset of the instrument. */
  price(traded: Traded): number;
}

/** Sum of the fills in one direction. `ticks` is the average price. */
export interface Traded {
  notionalUnits: number;
  lots: number;
  ticks: number;
}

/** The properties of a fill that affect a position. */
interface FillAmounts {
  readonly isBuy: boolean;
  readonly notionalUnits: number;
  readonly lots: number;
  readonly feeUnits: number;
  readonly feeInBase: boolean;
}

/** Returns the effect of a fill on money. A fee in money is included, a fee in coins is not. */
export function flowOf(valuation: Valuation, { isBuy, notionalUnits, feeUnits, feeInBase }: FillAmounts): number {
  return valuation.flow(isBuy, notionalUnits) - (feeInBase ? 0 : feeUnits);
}

/** Returns the effect of a fill on the holding, in its units. */
export function holdingChangeOf({ unitsPerLot }: Valuation, { isBuy, lots, feeUnits, feeInBase }: FillAmounts): number {
  return (isBuy ? lots : -lots) * unitsPerLot - (feeInBase ? feeUnits : 0);
}

/** Returns the smallest holding that is not dust: the size of the smallest order. */
export function dustBelow({ minLots }: Instrument, { unitsPerLot }: Valuation): number {
  return Math.max(minLots, 1) * unitsPerLot;
}

/** Returns the valuation of a spot instrument or of a contract. */
export function valuationOf(instrument: Instrument): Valuation {
  return instrument.contract === undefined ? coinValuation(instrument) : contractValuation(instrument);
}

/** Returns how fills of a spot pair are valued. */
function coinValuation(instrument: Instrument): Valuation {
  const { quoteDigits, quantityDigits } = instrument;
  const scale = new InstrumentScale(instrument);
  return {
    unitsPerLot: scale.unitsPerLot,
    flow: (isBuy, valueUnits) => (isBuy ? -valueUnits : valueUnits),
    holdingValue: (base, ticks) => (base < 0 ? -1 : 1) * quoteValueAt(Math.abs(base), ticks, scale.ofUnits),
    value: (lots, ticks) => quoteValueAt(lots * scale.unitsPerLot, ticks, scale.ofUnits),
    // Not used: the price of coins follows from their value.
    averageTicks: () => 0,
    price({ lots, notionalUnits: valueUnits }) {
      // Divides whole numbers first: an average that has a short decimal stays exact.
      const perLot = valueUnits / lots;
      return quoteDigits >= quantityDigits ? perLot / pow10(quoteDigits - quantityDigits) : perLot * pow10(quantityDigits - quoteDigits);
    },
  };
}

/** Returns how fills of a contract are valued. */
function contractValuation(instrument: Instrument): Valuation {
  const scale = new ContractScale(instrument);
  const { priceDigits } = instrument;
  // Buying an inverse contract sells the coin in which it settles.
  const isReversed = scale.isInverse;
  return {
    unitsPerLot: 1,
    flow: (isBuy, valueUnits) => (isBuy === isReversed ? valueUnits : -valueUnits),
    holdingValue(base, ticks) {
      const value = scale.valueOfLots(Math.abs(base), ticks);
      return base > 0 === isReversed ? -value : value;
    },
    value: (lots, ticks) => scale.valueOfLots(lots, ticks),
    // Values are whole units, which are coarse for an inverse contract. The average therefore uses the prices.
    averageTicks: (lots, ticks, moreLots, moreTicks) => scale.averageTicks(lots, ticks, moreLots, moreTicks),
    price: ({ lots, ticks }) => (lots > 0 ? ticks / pow10(priceDigits) : NaN),
  };
}
