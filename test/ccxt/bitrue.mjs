// ccxt's exchange class for this API, changed so that it calls a service on this computer.

import ccxt from 'ccxt';

/** The calls of the specification that ccxt lacks. ccxt creates a method for each of them, as for its own calls. */
const UNLISTED = {
  public: { get: costing('index') },
  private: {
    get: costing('order', 'openOrders', 'myTrades', 'positions', 'account'),
    post: costing(
      'order',
      'conditionOrder/',
      'cancel',
      'orderHistorical',
      'profitHistorical',
      'trigger_order_list',
      'cancel_trigger_order',
      'edit_user_position_model',
      'edit_user_margin_model',
      'edit_lever',
    ),
  },
};

/** Returns paths with a cost of 1. Only ccxt's rate limiter reads the cost, and it is off. */
function costing(...paths) {
  return Object.fromEntries(paths.map((path) => [path, { cost: 1 }]));
}

/** ccxt's class, whose bodies and timestamps a test can replace. */
export class Bitrue extends ccxt.bitrue {
  /** Text of the next request bodies. Null: ccxt writes them. */
  body = null;
  /** Timestamp of the next requests, ms. Null: the current time. */
  timestamp = null;

  /**
   * @param {string} origin Address of the service, such as http://127.0.0.1:8080.
   * @param {string} apiKey
   * @param {string} secret
   */
  constructor(origin, apiKey, secret) {
    super({ apiKey, secret, enableRateLimit: false });
    const [spot, fapi, dapi, kline] = ['api', 'fapi', 'dapi', 'kline-api'].map((path) => `${origin}/${path}`);
    this.urls.api = { ...this.urls.api, spot, fapi, dapi, kline, open: origin };
    // ccxt loads three markets and distinguishes them by their position. The service has only one of them, so the other two are empty.
    this.spotV1PublicGetExchangeInfo = async () => ({ symbols: [] });
    this.dapiV1PublicGetContracts = async () => [];
    // ccxt sends orders to version 2, which the specification does not have. The request is the same in version 1.
    this.fapiV2PrivatePostOrder = this.fapiV1PrivatePostOrder;
    const { json } = this;
    this.json = (data) => this.body ?? json(data);
  }

  describe() {
    return this.deepExtend(super.describe(), { api: { fapi: { v1: UNLISTED } } });
  }

  nonce() {
    return this.timestamp ?? super.nonce();
  }

  /** Returns ccxt's method for a call, such as `fapiV1PrivateGetOpenOrders`; null if ccxt has none. */
  methodOf(method, path, isSigned) {
    const words = path.replace(/^\/fapi\/v1\//, '').split(/[^a-zA-Z0-9]/);
    const name = [isSigned ? 'Private' : 'Public', method.toLowerCase(), ...words].map((word) => this.capitalize(word)).join('');
    const call = path.startsWith('/fapi/v1/') ? this[`fapiV1${name}`] : undefined;
    return call === undefined ? null : (params) => call(params);
  }
}
