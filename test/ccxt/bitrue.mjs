// ccxt's class for the API family of the trading service, with what it needs to speak to a service that is not on the internet.

import ccxt from 'ccxt';

/** The calls of the specification that ccxt does not list; it makes a method of each, as of its own. */
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

/** What a call costs matters to its throttle alone, which is off. */
function costing(...paths) {
  return Object.fromEntries(paths.map((path) => [path, { cost: 1 }]));
}

export class Bitrue extends ccxt.bitrue {
  /** Bytes of the next bodies; null: ccxt's own. */
  body = null;
  /** What its clock says; null: the time. */
  timestamp = null;

  /** @param {string} origin of the service, @param {string} apiKey, @param {string} secret */
  constructor(origin, apiKey, secret) {
    super({ apiKey, secret, enableRateLimit: false });
    const [spot, fapi, dapi, kline] = ['api', 'fapi', 'dapi', 'kline-api'].map((path) => `${origin}/${path}`);
    this.urls.api = { ...this.urls.api, spot, fapi, dapi, kline, open: origin };
    // It loads three markets and tells them apart by their places in its list: the two that are not served are empty.
    this.spotV1PublicGetExchangeInfo = async () => ({ symbols: [] });
    this.dapiV1PublicGetContracts = async () => [];
    // Its orders go to a version that the specification does not have; the call is otherwise the same.
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

  /** Its own method of the call of `method` to `path`, such as `fapiV1PrivateGetOpenOrders`; null where it has none. */
  methodOf(method, path, isSigned) {
    const words = path.replace(/^\/fapi\/v1\//, '').split(/[^a-zA-Z0-9]/);
    const name = [isSigned ? 'Private' : 'Public', method.toLowerCase(), ...words].map((word) => this.capitalize(word)).join('');
    const call = path.startsWith('/fapi/v1/') ? this[`fapiV1${name}`] : undefined;
    return call === undefined ? null : (params) => call(params);
  }
}
