// What an exchange process is started with: the config of its service, and for each instrument where its prices come from.

import type { BarColumns } from '../../../model/bars/bars.ts';
import type { InstrumentId } from '../../../model/instrument.ts';
import type { RecordedTrades } from '../../market/priceSource.ts';
import type { ReplayedRows } from '../../replayed/barSeries.ts';
import type { ServiceConfig } from '../../dialect/config.ts';
import type { ServerLimits } from '../../http/httpServer.ts';

/** Where the prices of one instrument come from. */
export type InstrumentPrices =
  /** A seeded random walk that starts at `price` (a plain decimal). `quantity` is the largest quantity of a trade and of a price level, in units of the base
   * asset, or contracts. */
  | { readonly kind: 'synthetic'; readonly price: string; readonly quantity: number }
  /** Bars that become trades at their own pace. Those before `firstRow` are the history that the exchange opens with. */
  | { readonly kind: 'bars'; readonly bars: BarColumns; readonly firstRow: number }
  /** Recorded trades at their own pace. */
  | { readonly kind: 'trades'; readonly trades: RecordedTrades }
  /** Bars that match every order by the rules of a backtest. The exchange opens at `fromMs`. */
  | { readonly kind: 'matchingBars'; readonly rows: ReplayedRows; readonly fromMs: number };

/** Everything that an exchange process is started with. */
export interface ExchangeSettings {
  readonly service: ServiceConfig;
  /** Limits of the HTTP server; missing ones have their defaults. */
  readonly httpServer?: Partial<ServerLimits>;
  /** Instruments without prices trade only between their users. */
  readonly prices: ReadonlyMap<InstrumentId, InstrumentPrices>;
  readonly seed: number;
  /** Replay speed for bars and trades; 1 is real time. Null: real time, but `matchingBars` advance only when the control port steps the clock. */
  readonly speed: number | null;
}
