// What the tests use of ccxt's class; ccxt's own types are there only where it is installed.

import type { CcxtTicker } from './bitrue.mjs';

type Params = Readonly<Record<string, unknown>>;

export interface PlainBitrue {
  readonly markets: Readonly<Record<string, Params>>;
  setMarkets(markets: unknown): void;
  parseMarkets(contracts: unknown): unknown;
  fapiV1PublicGetContracts(): Promise<unknown>;
  fetchTicker(symbol: string): Promise<CcxtTicker>;
  fetchOrderBook(symbol: string): Promise<{ readonly bids: readonly (readonly number[])[]; readonly asks: readonly (readonly number[])[] }>;
  fetchOHLCV(symbol: string, timeframe: string): Promise<readonly (readonly number[])[]>;
  /** Its generic call: any path of any of its interfaces. */
  request(path: string, api: readonly string[], method: 'GET' | 'POST', params?: Params): Promise<Params>;
}

export function plainBitrue(origin: string, apiKey: string, secret: string, lateMs: number): PlainBitrue;
