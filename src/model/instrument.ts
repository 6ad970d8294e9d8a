// The instrument: what is traded, and the scales on which its prices, quantities and money are whole numbers.

import type { Brand, Lots } from '../base/brand.ts';
import { pow10 } from '../base/number/exact.ts';
import type { Contract } from './contract.ts';

/** Prices are below this, in ticks: a price between two of them is then exact in a double. */
export const MAX_PRICE_TICKS = 2 ** 51;

/** `<market>:<name on the wire>`, for example `spot:BTCUSDT`. */
export type InstrumentId = Brand<string, 'InstrumentId'>;
export type Market = 'spot' | 'futures';

/** A record of the catalog. Plain data: it is passed between threads and hashed unchanged. */
export interface Instrument {
  readonly id: InstrumentId;
  readonly market: Market;
  /** The name on the wire: BTCUSDT, E-BTC-USDT. */
  readonly wireName: string;
  /** The asset of quantities; for a futures contract the coin of its face value. */
  readonly base: string;
  /** The asset of money: prices times quantities, fees, cash. For a futures contract the coin in which it settles. */
  readonly quote: string;
  /** Prices are whole multiples of 10^-priceDigits. */
  readonly priceDigits: number;
  /** Order quantities are whole multiples of 10^-quantityDigits. */
  readonly quantityDigits: number;
  /** Money in the quote asset is a whole multiple of 10^-quoteDigits. */
  readonly quoteDigits: number;
  /**
   * Holdings are whole multiples of 10^-baseDigits. For spot, at least quantityDigits, so that a fee finer than a lot is exact; for
   * contracts, quantityDigits.
   */
  readonly baseDigits: number;
  /** Smallest order quantity, in lots. */
  readonly minLots: Lots;
  /** Fee of a maker and of a taker fill, in ppm of the notional (1000 is 0.1 %). */
  readonly makerFeePpm: number;
  readonly takerFeePpm: number;
  /** Futures only. Their lots are contracts (10^-quantityDigits of one), and their fees are in this record and not above. */
  readonly contract?: Contract;
}

/**
 * Returns a quantity as text: `0.5 BTC`, `10 contracts`. The coin of a contract is that of its face value, not the unit of its quantities.
 */
export function sizeText(quantity: string, { base, contract }: Instrument): string {
  if (contract === undefined) return `${quantity} ${base}`;
  return quantity === '1' ? '1 contract' : `${quantity} contracts`;
}

/** Returns the lots in one coin of bar volume; for a contract, the coin of its face value. */
export function lotsPerCoin({ quantityDigits, contract }: Instrument): number {
  return contract === undefined ? pow10(quantityDigits) : pow10(quantityDigits + contract.multiplierDigits) / contract.multiplier;
}

/** The relative error of a sum of doubles is below this. */
const NOISE = 1e-12;

/**
 * Returns the whole lots of a bar's volume: `volume` x `lotScale` (lotsPerCoin), rounded down. A value within the noise of doubles of a
 * whole number counts as that number: 0.29 coins are 29 hundredths, and so are 0.1, 0.1 and 0.09 of them that make one bar.
 */
export function wholeLots(volume: number, lotScale: number): number {
  const lots = volume * lotScale;
  const nearest = Math.round(lots);
  return nearest - lots <= lots * NOISE ? nearest : nearest - 1;
}

export function instrumentId(market: Market, wireName: string): InstrumentId {
  return `${market}:${wireName}` as InstrumentId;
}
