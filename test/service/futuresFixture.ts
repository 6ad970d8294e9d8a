// Runs a paper exchange with contracts and two funded accounts, and offers their calls as methods.

import type { AccountConfig, ServiceConfig } from '../../src/paperExchange/dialect/config.ts';
import type { SwitchValues } from '../../src/paperExchange/dialect/profile.ts';
import type { ServiceResponse } from '../../src/paperExchange/api/message.ts';
import { inverseContract, linearContract } from '../fixtures/futuresVenue.ts';
import { ACCOUNTS, BTC, codeOf, ServiceFixture, ETH } from './serviceFixture.ts';

/** 0.001 BTC a contract, prices in 0.1, USDT in 0.0001; fees of 0.02 % and 0.04 % to open, 0.025 % and 0.05 % to close. */
export const PERPETUAL = linearContract({ maxMarketLots: 5000 });
/** A second linear contract. */
export const ETH_PERPETUAL = linearContract({ contractId: 3 }, { base: 'ETH' });
/** 100 USD a contract, in BTC. */
export const INVERSE = inverseContract();

/** Two accounts with money for futures. */
export const TRADERS: readonly AccountConfig[] = ACCOUNTS.map((account) => ({
  ...account,
  futures: { balances: { USDT: '10000', BTC: '10' } },
}));

/** Statuses of trigger orders on the wire, as `triggerOrders` returns them. */
export const TRIGGER_STATUS = { pending: 0, triggered: 2, failed: 3, cancelled: 4 } as const;
/** Statuses of orders in the order history. */
export const HISTORY_STATUS = { new: 1, filled: 2, cancelled: 4 } as const;

/** A reply with named members. */
export type JsonReply = Readonly<Record<string, unknown>>;

/** The calls of futures that have rate limits of their own. */
const LIMITED_CALLS = [
  'createOrder',
  'createConditionOrder',
  'cancelOrder',
  'cancelTriggerOrder',
  'openOrders',
  'orderHistory',
  'profitHistory',
  'myTrades',
  'positions',
  'account',
  'orderInformation',
  'triggerOrderList',
  'changeLeverage',
  'changeMarginMode',
  'changePositionMode',
];

/** No rate limits, so that only the tests about limits meet them. */
const NO_LIMITS = Object.fromEntries(LIMITED_CALLS.map((name) => [`futures.${name}`, null]));

/** An exchange of both markets, with the calls of its traders. */
export class FuturesFixture extends ServiceFixture {
  constructor(overrides: Partial<ServiceConfig> = {}, switches: SwitchValues = {}) {
    super({ instruments: [BTC, ETH, PERPETUAL, ETH_PERPETUAL, INVERSE], accounts: TRADERS, limits: NO_LIMITS, ...overrides }, switches);
  }

  /** Returns the reply to a create: an order that opens E-BTC-USDT unless `extraFields` change it. A price of null makes it a MARKET order. */
  sendOrder(account: string, side: 'BUY' | 'SELL', volume: number, price: number | null, extraFields: JsonReply = {}): ServiceResponse {
    const typeAndPrice = price === null ? { type: 'MARKET' } : { type: 'LIMIT', price };
    return this.post(
      '/fapi/v1/order',
      { contractName: 'E-BTC-USDT', volume, side, open: 'OPEN', ...typeAndPrice, ...extraFields },
      { as: account },
    );
  }

  /** Sends a create that the exchange must accept. Returns the id of the order. */
  placeOrder(account: string, side: 'BUY' | 'SELL', volume: number, price: number | null, extraFields: JsonReply = {}): string {
    const answer = this.sendOrder(account, side, volume, price, extraFields);
    const id = /^\{"orderId":"(\d{19})"\}$/.exec(answer.body)?.[1];
    if (id === undefined) throw new Error(`no order: ${answer.status} ${answer.body}`);
    return id;
  }

  /** Returns the reply to the create of a trigger order, by default one that closes one contract at the market. */
  sendTriggerOrder(
    account: string,
    side: 'BUY' | 'SELL',
    triggerType: string,
    triggerPrice: string,
    extraFields: JsonReply = {},
  ): ServiceResponse {
    const placedOrder = { contractName: 'E-BTC-USDT', side, open: 'CLOSE', type: 'MARKET', volume: 1, ...extraFields };
    return this.post('/fapi/v1/conditionOrder/', { ...placedOrder, triggerType, triggerPrice }, { as: account });
  }

  /** Parses a successful reply. Ids of 19 digits become text, because a number would lose digits. */
  parseReply(response: ServiceResponse): unknown {
    if (codeOf(response) !== 0) throw new Error(response.body);
    return JSON.parse(response.body.replaceAll(/([:[,])(\d{19})(?=[,}\]])/g, '$1"$2"'));
  }

  /** Returns an order of E-BTC-USDT by its id. */
  orderInformation(id: string, account = 'alice'): JsonReply {
    return this.parseReply(this.get(`/fapi/v1/order?contractName=E-BTC-USDT&orderId=${id}`, { as: account })) as JsonReply;
  }
  /** Returns the open positions of a contract. */
  positions(account = 'alice', contractName = 'E-BTC-USDT'): readonly JsonReply[] {
    const reply = this.parseReply(this.get(`/fapi/v1/positions?contractName=${contractName}`, { as: account }));
    return (reply as { positions: readonly JsonReply[] }).positions;
  }
  /** Returns the futures account in one margin coin. */
  futuresAccount(account = 'alice', marginCoin = 'USDT'): JsonReply {
    const { account: rows } = this.parseReply(this.get('/fapi/v1/account', { as: account })) as { account: readonly JsonReply[] };
    return rows.find((row) => row['marginCoin'] === marginCoin)!;
  }
  /** Posts a request for a list, and returns its rows. */
  listRows(path: string, body: JsonReply = {}, account = 'alice'): readonly JsonReply[] {
    return this.parseReply(this.post(path, body, { as: account })) as readonly JsonReply[];
  }
  /** Returns the trades of E-BTC-USDT. */
  trades(account = 'alice'): readonly JsonReply[] {
    return this.parseReply(this.get('/fapi/v1/myTrades?contractName=E-BTC-USDT&limit=1000', { as: account })) as readonly JsonReply[];
  }
  /** Returns the trigger orders of E-BTC-USDT, also those that have ended. */
  triggerOrders(account = 'alice'): readonly JsonReply[] {
    const { data } = this.parseReply(this.post('/fapi/v1/trigger_order_list', { contractName: 'E-BTC-USDT' }, { as: account })) as {
      data: { trigOrderList: readonly JsonReply[] };
    };
    return data.trigOrderList;
  }
}
