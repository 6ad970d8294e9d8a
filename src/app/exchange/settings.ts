// What an exchange is assembled from: the service's own config, and where the prices of each instrument come from.

import type { BarColumns } from '../../model/bars.ts';
import type { InstrumentId } from '../../model/instrument.ts';
import type { ServiceConfig } from '../../service/config.ts';

/** Prices of one instrument. */
export type PriceSettings =
  /** A seeded random walk from `price` on (a plain decimal); `quantity` is what trades at a time and rests at a level, at most. */
  | { readonly kind: 'synthetic'; readonly price: string; readonly quantity: number }
  /** Bars as they were; those before `firstRow` are the history that the exchange opens with. */
  | { readonly kind: 'bars'; readonly bars: BarColumns; readonly firstRow: number };

export interface ExchangeSettings {
  readonly service: ServiceConfig;
  /** An instrument without prices trades only what its users bring. */
  readonly prices: ReadonlyMap<InstrumentId, PriceSettings>;
  readonly seed: number;
  /** How many times as fast as they were bars are replayed. */
  readonly speed: number;
}
