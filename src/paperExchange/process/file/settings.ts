// What an exchange is assembled from: the service's own config, and where the prices of each instrument come from.

import type { BarColumns } from '../../../model/bars/bars.ts';
import type { InstrumentId } from '../../../model/instrument.ts';
import type { RecordedTrades } from '../../market/priceSource.ts';
import type { RowData } from '../../replayed/barSeries.ts';
import type { ServiceConfig } from '../../dialect/config.ts';
import type { ServerLimits } from '../../http/httpServer.ts';

/** Prices of one instrument. */
export type PriceSettings =
  /** A seeded random walk from `price` on (a plain decimal); `quantity` is what trades at a time and rests at a level, at most. */
  | { readonly kind: 'synthetic'; readonly price: string; readonly quantity: number }
  /** Bars as they were; those before `firstRow` are the history that the exchange opens with. */
  | { readonly kind: 'bars'; readonly bars: BarColumns; readonly firstRow: number }
  /** Trades as they were. */
  | { readonly kind: 'trades'; readonly trades: RecordedTrades }
  /** The same bars as every order's counterparty, by the rules of a backtest, at their own time; the exchange opens at `fromMs`. */
  | { readonly kind: 'rows'; readonly rows: RowData; readonly fromMs: number };

export interface ExchangeSettings {
  readonly service: ServiceConfig;
  /** What a connection may do; what is not said is as usual. */
  readonly httpServer?: Partial<ServerLimits>;
  /** An instrument without prices trades only what its users bring. */
  readonly prices: ReadonlyMap<InstrumentId, PriceSettings>;
  readonly seed: number;
  /** How many times as fast as they were bars are replayed; null: as fast as they were, and rows not at all: their time stands until it is stepped. */
  readonly speed: number | null;
}
