// Instruments are spot pairs and futures contracts, with the digits that make prices, quantities and money whole numbers.

import type { Brand, Lots } from '../base/brand.ts';
import { pow10 } from '../base/number/exact.ts';
import type { Contract } from './contract.ts';

/** Upper bound of all prices, in ticks. A price halfway between two ticks is then still exact in a double. */
export const MAX_PRICE_TICKS = 2 ** 51;

/** The id of an instrument, `<market>:<symbol>`, such as `spot:BTCUSDT`. */
export type InstrumentId = Brand<string, 'InstrumentId'>;
/** The two services of a venue. Each has accounts of its own. */
export type Market = 'spot' | 'futures';

/** An instrument of the catalog. It is plain data, which can be hashed and passed between threads. */
export interface Instrument {
  readonly id: InstrumentId;
  readonly market: Market;
  /** The symbol, by which the venue names the instrument: BTCUSDT or E-BTC-USDT. */
  readonly wireName: string;
  /** Asset of quantities. For a futures contract, the coin of its face value. */
  readonly base: string;
  /** Asset of money, such as notionals, fees and cash. For a futures contract, the settlement asset. */
  readonly quote: string;
  /** Prices are whole multiples of 10^-priceDigits. */
  readonly priceDigits: number;
  /** Order quantities are whole multiples of 10^-quantityDigits. */
  readonly quantityDigits: number;
  /** Money in the quote asset is a whole multiple of 10^-quoteDigits. */
  readonly quoteDigits: number;
  /**
   * Holdings are whole multiples of 10^-baseDigits. Equal to quantityDigits for contracts. For spot at least quantityDigits, so that a fee
   * finer than a lot is exact.
   */
  readonly baseDigits: number;
  /** Smallest order quantity, in lots. */
  readonly minLots: Lots;
  /** Fee of a maker fill, in ppm of the notional (1000 is 0.1 %). */
  readonly makerFeePpm: number;
  /** Fee of a taker fill, in ppm of the notional. */
  readonly takerFeePpm: number;
  /** Futures only. A lot is 10^-quantityDigits contracts, and the fees of the contract replace the fees above. */
  readonly contract?: Contract;
}

/** Returns a quantity as text, such as `0.5 BTC` or `10 contracts`. */
export function sizeText(quantity: string, { base, contract }: Instrument): string {
  if (contract === undefined) return `${quantity} ${base}`;
  return quantity === '1' ? '1 contract' : `${quantity} contracts`;
}

/** Returns the number of lots in one coin of a bar's volume. For a contract, volumes are in the coin of its face value. */
export function lotsPerCoin({ quantityDigits, contract }: Instrument): number {
  return contract === undefined ? pow10(quantityDigits) : pow10(quantityDigits + contract.multiplierDigits) / contract.multiplier;
}

/** Upper bound of the relative error of a sum of doubles. */
const MAX_ERROR = 1e-12;

/**
 * Returns the whole lots of a bar's volume: `volume` x `lotScale` (lotsPerCoin), rounded down. A value that differs from a whole number only by
 * the error of doubles counts as that number. So 0.29 coins are 29 hundredths, and 0.1 + 0.1 + 0.09 coins are too.
 */
export function wholeLots(volume: number, lotScale: number): number {
  const lots = volume * lotScale;
  const nearest = Math.round(lots);
  return nearest - lots <= lots * MAX_ERROR ? nearest : nearest - 1;
}

/** Returns the id of an instrument. */
export function instrumentId(market: Market, wireName: string): InstrumentId {
  return `${market}:${wireName}` as InstrumentId;
}
