// The settings of an exchange: the config of its service, and the price source of each instrument.

import type { BarColumns } from '../../../model/bars/bars.ts';
import type { InstrumentId } from '../../../model/instrument.ts';
import type { RecordedTrades } from '../../market/priceSource.ts';
import type { ReplayedRows } from '../../replayed/barSeries.ts';
import type { ServiceConfig } from '../../dialect/config.ts';
import type { ServerLimits } from '../../http/httpServer.ts';

/** Price source of one instrument. */
export type PriceSettings =
  /** A seeded random walk that starts at `price` (a plain decimal). `quantity` is the maximum of one trade and of one level. */
  | { readonly kind: 'synthetic'; readonly price: string; readonly quantity: number }
  /** Bars at their own pace. Those before `firstRow` are the history that the exchange opens with. */
  | { readonly kind: 'bars'; readonly bars: BarColumns; readonly firstRow: number }
  /** Recorded trades at their own pace. */
  | { readonly kind: 'trades'; readonly trades: RecordedTrades }
  /** Bars that are the counterparty of every order, by the rules of a backtest, at their own time. The exchange opens at `fromMs`. */
  | { readonly kind: 'rows'; readonly rows: ReplayedRows; readonly fromMs: number };

/** Everything that an exchange process is started with. */
export interface ExchangeSettings {
  readonly service: ServiceConfig;
  /** Limits of the HTTP server; missing ones have their defaults. */
  readonly httpServer?: Partial<ServerLimits>;
  /** Instruments without prices trade only between their users. */
  readonly prices: ReadonlyMap<InstrumentId, PriceSettings>;
  readonly seed: number;
  /** Replay speed for bars and trades; 1 is real time. Null: real time, but bars that match orders advance only when stepped. */
  readonly speed: number | null;
}
