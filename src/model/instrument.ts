// The instrument: what is traded, and the scales on which its prices, quantities and money are whole numbers.

import type { Brand, Lots } from '../base/brand.ts';
import { pow10 } from '../base/number/exact.ts';
import type { Contract } from './contract.ts';

/** Prices are below it, in ticks: a price between two of them is then exact in a double. */
export const MAX_PRICE_TICKS = 2 ** 51;

/** `<market>:<name on the wire>`, for example `spot:BTCUSDT`. */
export type InstrumentId = Brand<string, 'InstrumentId'>;
export type Market = 'spot' | 'futures';

/** A record of the catalog. Plain data: it crosses threads and is hashed as it stands. */
export interface Instrument {
  readonly id: InstrumentId;
  readonly market: Market;
  /** The name on the wire: BTCUSDT, E-BTC-USDT. */
  readonly wireName: string;
  /** What quantities count: coins; of a futures contract the coin of its face value. */
  readonly base: string;
  /** What money counts: prices times quantities, fees, cash. Of a futures contract the coin in which it settles. */
  readonly quote: string;
  /** Prices are whole multiples of 10^-priceDigits. */
  readonly priceDigits: number;
  /** Order quantities are whole multiples of 10^-quantityDigits. */
  readonly quantityDigits: number;
  /** Money in the quote asset is whole in 10^-quoteDigits. */
  readonly quoteDigits: number;
  /** Holdings are whole in 10^-baseDigits: of the base asset, at least quantityDigits, so that a fee finer than a lot is exact; of contracts, quantityDigits. */
  readonly baseDigits: number;
  /** Smallest order quantity, in lots. */
  readonly minLots: Lots;
  /** Fee of a resting and of a taking fill, in millionths of the notional (1000 is 0.1 %). */
  readonly makerFeePpm: number;
  readonly takerFeePpm: number;
  /** Futures alone have it. Their lots are contracts (10^-quantityDigits of one); their fees stand there and not above. */
  readonly contract?: Contract;
}

/** `0.5 BTC`, `10 contracts`: the coin of a contract is that of its face value, not what its quantities count. */
export function sizeText(quantity: string, { base, contract }: Instrument): string {
  if (contract === undefined) return `${quantity} ${base}`;
  return quantity === '1' ? '1 contract' : `${quantity} contracts`;
}

/** Lots in one coin of the volumes that bars have; of a contract that is the coin of its face value. */
export function lotsPerCoin({ quantityDigits, contract }: Instrument): number {
  return contract === undefined ? pow10(quantityDigits) : pow10(quantityDigits + contract.multiplierDigits) / contract.multiplier;
}

/** A sum of doubles misses what it means by less than this share of it. */
const NOISE = 1e-12;

/**
 * The whole lots of a bar's volume: `volume` x `lotScale` (lotsPerCoin), rounded down. What misses a whole number by no more than the noise of
 * doubles is that number: 0.29 coins are 29 hundredths, and so are 0.1, 0.1 and 0.09 of them that make one bar.
 */
export function wholeLots(volume: number, lotScale: number): number {
  const lots = volume * lotScale;
  const nearest = Math.round(lots);
  return nearest - lots <= lots * NOISE ? nearest : nearest - 1;
}

export function instrumentId(market: Market, wireName: string): InstrumentId {
  return `${market}:${wireName}` as InstrumentId;
}
