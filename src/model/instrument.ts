// The instrument: what is traded, and the scales on which its prices, quantities and money are whole numbers.

import type { Brand, Lots } from '../base/brand.ts';

/** `<market>:<name on the wire>`, for example `spot:BTCUSDT`. */
export type InstrumentId = Brand<string, 'InstrumentId'>;
export type Market = 'spot' | 'futures';

/** A record of the catalog. Plain data: it crosses threads and is hashed as it stands. */
export interface Instrument {
  readonly id: InstrumentId;
  readonly market: Market;
  /** The name on the wire: BTCUSDT, E-BTC-USDT. */
  readonly wireName: string;
  readonly base: string;
  readonly quote: string;
  /** Prices are whole multiples of 10^-priceDigits. */
  readonly priceDigits: number;
  /** Order quantities are whole multiples of 10^-quantityDigits. */
  readonly quantityDigits: number;
  /** Money in the quote asset is whole in 10^-quoteDigits. */
  readonly quoteDigits: number;
  /** Holdings of the base asset are whole in 10^-baseDigits; at least quantityDigits, so that a fee finer than a lot is exact. */
  readonly baseDigits: number;
  /** Smallest order quantity, in lots. */
  readonly minLots: Lots;
  /** Fee of a resting and of a taking fill, in millionths of the notional (1000 is 0.1 %). */
  readonly makerFeePpm: number;
  readonly takerFeePpm: number;
}

export function instrumentId(market: Market, wireName: string): InstrumentId {
  return `${market}:${wireName}` as InstrumentId;
}
