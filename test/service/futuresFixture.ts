// A paper exchange with contracts: two accounts with money there, and what their calls look like.

import type { AccountConfig, ServiceConfig } from '../../src/paperExchange/dialect/config.ts';
import type { SwitchValues } from '../../src/paperExchange/dialect/profile.ts';
import type { ServiceResponse } from '../../src/paperExchange/api/message.ts';
import { inverseContract, linearContract } from '../fixtures/futuresVenue.ts';
import { ACCOUNTS, BTC, codeOf, Fixture, ETH } from './serviceFixture.ts';

/** 0.001 BTC a contract, prices in 0.1, USDT in 0.0001; fees of 0.02 % and 0.04 % to open, 0.025 % and 0.05 % to close. */
export const PERPETUAL = linearContract({ maxMarketLots: 5000 });
export const OTHER = linearContract({ contractId: 3 }, { base: 'ETH' });
/** 100 USD a contract, in BTC. */
export const INVERSE = inverseContract();

export const TRADERS: readonly AccountConfig[] = ACCOUNTS.map((account) => ({
  ...account,
  futures: { balances: { USDT: '10000', BTC: '10' } },
}));

export type Json = Readonly<Record<string, unknown>>;

/** Limits are out of the way unless a test puts them there. */
const NO_LIMITS = Object.fromEntries(
  ['createOrder', 'createConditionOrder', 'cancelOrder', 'cancelTriggerOrder', 'openOrders', 'orderHistory', 'profitHistory', 'myTrades']
    .concat(['positions', 'account', 'orderInformation', 'triggerOrderList', 'changeLeverage', 'changeMarginMode', 'changePositionMode'])
    .map((name) => [`futures.${name}`, null]),
);

export class FuturesFixture extends Fixture {
  constructor(over: Partial<ServiceConfig> = {}, switches: SwitchValues = {}) {
    super({ instruments: [BTC, ETH, PERPETUAL, OTHER, INVERSE], accounts: TRADERS, limits: NO_LIMITS, ...over }, switches);
  }

  /** The answer to a create; a LIMIT OPEN of E-BTC-USDT unless `more` says otherwise. */
  create(as: string, side: 'BUY' | 'SELL', volume: number, price: number | null, more: Json = {}): ServiceResponse {
    const kind = price === null ? { type: 'MARKET' } : { type: 'LIMIT', price };
    return this.post('/fapi/v1/order', { contractName: 'E-BTC-USDT', volume, side, open: 'OPEN', ...kind, ...more }, { as });
  }

  /** The same where it has to be taken: its id. */
  order(as: string, side: 'BUY' | 'SELL', volume: number, price: number | null, more: Json = {}): string {
    const answer = this.create(as, side, volume, price, more);
    const id = /^\{"orderId":"(\d{19})"\}$/.exec(answer.body)?.[1];
    if (id === undefined) throw new Error(`no order: ${answer.status} ${answer.body}`);
    return id;
  }

  trigger(as: string, side: 'BUY' | 'SELL', triggerType: string, triggerPrice: string, more: Json = {}): ServiceResponse {
    const child = { contractName: 'E-BTC-USDT', side, open: 'CLOSE', type: 'MARKET', volume: 1, ...more };
    return this.post('/fapi/v1/conditionOrder/', { ...child, triggerType, triggerPrice }, { as });
  }

  /** An answer with its ids as text. */
  read(response: ServiceResponse): unknown {
    if (codeOf(response) !== 0) throw new Error(response.body);
    return JSON.parse(response.body.replaceAll(/([:[,])(\d{19})(?=[,}\]])/g, '$1"$2"'));
  }

  info(id: string, as = 'alice'): Json {
    return this.read(this.get(`/fapi/v1/order?contractName=E-BTC-USDT&orderId=${id}`, { as })) as Json;
  }
  positions(as = 'alice', contractName = 'E-BTC-USDT'): readonly Json[] {
    return (this.read(this.get(`/fapi/v1/positions?contractName=${contractName}`, { as })) as { positions: readonly Json[] }).positions;
  }
  account(as = 'alice', marginCoin = 'USDT'): Json {
    const { account } = this.read(this.get('/fapi/v1/account', { as })) as { account: readonly Json[] };
    return account.find((row) => row['marginCoin'] === marginCoin)!;
  }
  rows(path: string, body: Json = {}, as = 'alice'): readonly Json[] {
    return this.read(this.post(path, body, { as })) as readonly Json[];
  }
  trades(as = 'alice'): readonly Json[] {
    return this.read(this.get('/fapi/v1/myTrades?contractName=E-BTC-USDT&limit=1000', { as })) as readonly Json[];
  }
  triggers(as = 'alice'): readonly Json[] {
    const { data } = this.read(this.post('/fapi/v1/trigger_order_list', { contractName: 'E-BTC-USDT' }, { as })) as {
      data: { trigOrderList: readonly Json[] };
    };
    return data.trigOrderList;
  }
}
