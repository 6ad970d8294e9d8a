// How fills of one instrument move money: coins are bought and sold, contracts only change what a position is worth.

import { pow10 } from '../../base/number/exact.ts';
import type { Instrument } from '../../model/instrument.ts';
import { ContractScale } from '../../portfolio/contractScale.ts';
import { InstrumentScale, quoteValueAt } from '../../portfolio/scale.ts';

/** Money in units of the reporting asset; `base` in units of the holding, below 0 short; prices in ticks unless said otherwise. */
export interface Valuation {
  /** Units of the holding in one lot. */
  readonly unitsPerLot: number;
  /** What a fill of this value does to cash, or, of a contract, to the profit of the position when its exit is counted alike. */
  flow(isBuy: boolean, valueUnits: number): number;
  /** What a holding adds to those flows at a price: flow + worth is the profit of all that was traded so far. */
  holdingValue(base: number, ticks: number): number;
  /** Value of so many lots at a price. */
  value(lots: number, ticks: number): number;
  /** Average price in ticks, with a fraction, of lots at one price and more of them at another. */
  averageTicks(lots: number, ticks: number, more: number, moreTicks: number): number;
  /** Average price, in the quote of the instrument, of what was traded together. */
  price(of: Traded): number;
}

/** What was traded in one direction; `ticks`: at which price on average. */
export interface Traded {
  notional: number;
  lots: number;
  ticks: number;
}

/** Of a fill, as far as a position sees it. */
interface Filled {
  readonly isBuy: boolean;
  readonly notional: number;
  readonly lots: number;
  readonly fee: number;
  readonly feeInBase: boolean;
}

/** What a fill does to money, its fee included where that is paid in money. */
export function flowOf(valuation: Valuation, { isBuy, notional, fee, feeInBase }: Filled): number {
  return valuation.flow(isBuy, notional) - (feeInBase ? 0 : fee);
}

/** What a fill does to the holding, in its units. */
export function baseOf({ unitsPerLot }: Valuation, { isBuy, lots, fee, feeInBase }: Filled): number {
  return (isBuy ? lots : -lots) * unitsPerLot - (feeInBase ? fee : 0);
}

/** A holding below that is dust: less than the smallest order. */
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
    // The value of coins tells it.
    averageTicks: () => 0,
    price({ lots, notional: valueUnits }) {
      // Whole numbers first: an average that is a decimal price stays one.
      const perLot = valueUnits / lots;
      return quoteDigits >= quantityDigits ? perLot / pow10(quoteDigits - quantityDigits) : perLot * pow10(quantityDigits - quoteDigits);
    },
  };
}

function contracts(instrument: Instrument): Valuation {
  const scale = new ContractScale(instrument);
  const { priceDigits } = instrument;
  // Buying an inverse contract is selling the coin in which it settles.
  const isTurned = scale.isInverse;
  return {
    unitsPerLot: 1,
    flow: (isBuy, valueUnits) => (isBuy === isTurned ? valueUnits : -valueUnits),
    holdingValue(base, ticks) {
      const value = scale.valueOfLots(Math.abs(base), ticks);
      return base > 0 === isTurned ? -value : value;
    },
    value: (lots, ticks) => scale.valueOfLots(lots, ticks),
    // Values are whole units, of an inverse contract coarse ones: the prices themselves tell it.
    averageTicks: (lots, ticks, more, moreTicks) => scale.averageTicks(lots, ticks, more, moreTicks),
    price: ({ lots, ticks }) => (lots > 0 ? ticks / pow10(priceDigits) : NaN),
  };
}
