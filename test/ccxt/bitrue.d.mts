// What the tests use of ccxt's class; ccxt's own types are there only where it is installed.

type Params = Readonly<Record<string, unknown>>;

export interface CcxtTicker {
  readonly timestamp: number;
  readonly high: number;
  readonly low: number;
  readonly bid: number;
  readonly ask: number;
  readonly last: number;
  readonly baseVolume: number;
  readonly percentage: number;
}

export class Bitrue {
  constructor(origin: string, apiKey: string, secret: string);
  /** Stands in place of the body that it would make; null: that body. */
  body: string | null;
  /** Unix ms that it signs with; null: the time. */
  timestamp: number | null;
  /** Its method of the call of `method` to `path`; null where it has none. */
  methodOf(method: 'GET' | 'POST', path: string, isSigned: boolean): ((params: Params) => Promise<unknown>) | null;
  loadMarkets(): Promise<Readonly<Record<string, Params>>>;
  fetchTicker(symbol: string): Promise<CcxtTicker>;
  fetchOrderBook(symbol: string): Promise<{ readonly bids: readonly (readonly number[])[]; readonly asks: readonly (readonly number[])[] }>;
  fetchOHLCV(symbol: string, timeframe: string): Promise<readonly (readonly number[])[]>;
}
