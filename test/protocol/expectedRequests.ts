// Lists the expected request of each of the 38 calls, written by hand from parts 4, 5 and 8 of the specification.

/** One row of the tables of part 4. */
export interface ExpectedRequest {
  readonly op: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly method: 'GET' | 'POST';
  /** The path, with the query of a GET. */
  readonly target: string;
  /** The body of a POST. Absent for a GET. */
  readonly body?: string;
  /** Public calls have only the header Content-Type. */
  readonly security: 'NONE' | 'TRADE' | 'USER_DATA';
  /**
   * The parameters of the table: name and type (a quoted type is text on the wire), then a mark. `!`: required. `?`: optional. `~`: required
   * in one part of the specification and optional in another. `|`: one of several must be given.
   */
  readonly params: string;
  /** Requests in two seconds by part 8. Absent if part 8 gives none. */
  readonly per2s?: number;
  /** True for a read, which may be sent again after a failure. */
  readonly read: boolean;
}

const GET = { method: 'GET', read: true } as const;
const LIST = { method: 'POST', read: true } as const;
const WRITE = { method: 'POST', read: false } as const;
const BTC = { symbol: 'BTCUSDT' };
const E_BTC = { contractName: 'E-BTC-USDT' };

const EXPECTED_SPOT: readonly ExpectedRequest[] = [
  { ...GET, op: 'spot.ping', args: {}, target: '/sapi/v1/ping', security: 'NONE', params: '' },
  { ...GET, op: 'spot.serverTime', args: {}, target: '/sapi/v1/time', security: 'NONE', params: '' },
  { ...GET, op: 'spot.symbols', args: {}, target: '/sapi/v1/symbols', security: 'NONE', params: '' },
  {
    ...GET,
    op: 'spot.depth',
    args: { ...BTC, limit: 20 },
    target: '/sapi/v1/depth?symbol=BTCUSDT&limit=20',
    security: 'NONE',
    params: 'symbol name!, limit 1..100=100~',
  },
  {
    ...GET,
    op: 'spot.ticker',
    args: { symbol: 'btcusdt' },
    target: '/sapi/v1/ticker?symbol=BTCUSDT',
    security: 'NONE',
    params: 'symbol name!',
  },
  {
    ...GET,
    op: 'spot.recentTrades',
    args: BTC,
    target: '/sapi/v1/trades?symbol=BTCUSDT&limit=100',
    security: 'NONE',
    params: 'symbol name!, limit "1..1000"=100~',
  },
  {
    ...GET,
    op: 'spot.klines',
    args: { ...BTC, interval: '1h', limit: 300 },
    target: '/sapi/v1/klines?symbol=BTCUSDT&interval=60min&limit=300',
    security: 'NONE',
    params: 'symbol name!, interval interval!, limit 1..300=100?',
  },
  {
    ...WRITE,
    op: 'spot.newOrder',
    args: { ...BTC, volume: '0.0010', side: 'BUY', type: 'LIMIT', price: '65000.00', newClientOrderId: 'my-order_1' },
    target: '/sapi/v1/order',
    security: 'TRADE',
    per2s: 100,
    body: '{"symbol":"BTCUSDT","volume":0.0010,"side":"BUY","type":"LIMIT","price":65000.00,"newClientOrderId":"my-order_1"}',
    params: 'symbol name!, volume decimal!, side BUY|SELL!, type LIMIT|MARKET!, price decimal with type LIMIT, newClientOrderId clientId?',
  },
  {
    ...WRITE,
    op: 'spot.testNewOrder',
    args: { ...BTC, volume: '25', side: 'BUY', type: 'MARKET', recWindow: 3000 },
    target: '/sapi/v1/order/test',
    security: 'TRADE',
    body: '{"symbol":"BTCUSDT","volume":25,"side":"BUY","type":"MARKET","recWindow":3000}',
    params:
      'symbol name!, volume decimal!, side BUY|SELL!, type LIMIT|MARKET!, price decimal with type LIMIT, newClientOrderId clientId?, recWindow 1..5000?',
  },
  {
    // The specification lists it as a GET with a body; services accept POST (exchange dialect, row 7).
    ...WRITE,
    op: 'spot.batchOrders',
    target: '/sapi/v1/batchOrders',
    security: 'TRADE',
    args: {
      ...BTC,
      orders: [
        { price: '1.5', volume: '2', side: 'BUY', batchType: 'LIMIT' },
        { volume: '3', side: 'SELL', batchType: 'MARKET' },
      ],
    },
    body: '{"symbol":"BTCUSDT","orders":[{"price":1.5,"volume":2,"side":"BUY","batchType":"LIMIT"},{"volume":3,"side":"SELL","batchType":"MARKET"}]}',
    params: 'symbol name!, orders 1..10 of (price decimal with batchType LIMIT, volume decimal!, side BUY|SELL!, batchType LIMIT|MARKET!)!',
  },
  {
    ...GET,
    op: 'spot.queryOrder',
    args: { ...BTC, orderId: '499890200602846976' },
    target: '/sapi/v1/order?orderId=499890200602846976&symbol=BTCUSDT',
    security: 'TRADE',
    per2s: 20,
    params: 'orderId "id"|, symbol name~, newClientOrderId clientId|',
  },
  {
    ...WRITE,
    op: 'spot.cancelOrder',
    args: { ...BTC, orderId: '1322738336974712847' },
    target: '/sapi/v1/cancel',
    security: 'TRADE',
    per2s: 100,
    body: '{"orderId":"1322738336974712847","symbol":"BTCUSDT"}',
    params: 'orderId "id"|, newClientOrderId clientId|, symbol name!',
  },
  {
    ...WRITE,
    op: 'spot.batchCancel',
    args: { ...BTC, orderIds: ['1322738336974712847', '2'] },
    target: '/sapi/v1/batchCancel',
    security: 'TRADE',
    per2s: 50,
    body: '{"symbol":"BTCUSDT","orderIds":[1322738336974712847,2]}',
    params: 'symbol name!, orderIds 1..10 ids!',
  },
  {
    ...GET,
    op: 'spot.openOrders',
    args: { ...BTC, limit: 1000 },
    target: '/sapi/v1/openOrders?symbol=BTCUSDT&limit=1000',
    security: 'TRADE',
    per2s: 20,
    params: 'symbol name~, limit 1..1000=100~',
  },
  {
    ...GET,
    op: 'spot.myTrades',
    args: { ...BTC, fromId: '42' },
    target: '/sapi/v1/myTrades?symbol=BTCUSDT&fromId=42',
    security: 'TRADE',
    per2s: 20,
    params: 'symbol name?, limit 1..1000=100?, fromId id?',
  },
  { ...GET, op: 'spot.account', args: {}, target: '/sapi/v1/account', security: 'USER_DATA', per2s: 20, params: '' },
];

/** The requests of the futures calls. */
export const EXPECTED_FUTURES: readonly ExpectedRequest[] = [
  { ...GET, op: 'futures.ping', args: {}, target: '/fapi/v1/ping', security: 'NONE', params: '' },
  { ...GET, op: 'futures.serverTime', args: {}, target: '/fapi/v1/time', security: 'NONE', params: '' },
  { ...GET, op: 'futures.contracts', args: {}, target: '/fapi/v1/contracts', security: 'NONE', params: '' },
  {
    ...GET,
    op: 'futures.depth',
    args: E_BTC,
    target: '/fapi/v1/depth?contractName=E-BTC-USDT',
    security: 'NONE',
    params: 'contractName name!, limit 1..100=100?',
  },
  {
    ...GET,
    op: 'futures.ticker',
    args: E_BTC,
    target: '/fapi/v1/ticker?contractName=E-BTC-USDT',
    security: 'NONE',
    params: 'contractName name!',
  },
  {
    ...GET,
    op: 'futures.indexPrice',
    args: { ...E_BTC, limit: 1 },
    target: '/fapi/v1/index?contractName=E-BTC-USDT&limit=1',
    security: 'NONE',
    params: 'contractName name!, limit "1..1000"?',
  },
  {
    ...GET,
    op: 'futures.klines',
    args: { ...E_BTC, interval: '1M', limit: 2 },
    target: '/fapi/v1/klines?contractName=E-BTC-USDT&interval=1month&limit=2',
    security: 'NONE',
    params: 'contractName name!, interval interval!, limit 1..300=100?',
  },
  {
    ...WRITE,
    op: 'futures.createOrder',
    target: '/fapi/v1/order',
    security: 'TRADE',
    args: {
      ...E_BTC,
      volume: '1',
      price: '65000.5',
      type: 'LIMIT',
      side: 'SELL',
      open: 'OPEN',
      positionType: 1,
      clientOrderId: '111000111',
      timeInForce: 'IOC',
    },
    body: '{"contractName":"E-BTC-USDT","volume":1,"price":65000.5,"type":"LIMIT","side":"SELL","open":"OPEN","positionType":1,"clientOrderId":"111000111","timeInForce":"IOC"}',
    params:
      'contractName name!, volume decimal!, price decimal with type LIMIT, type LIMIT|MARKET!, side BUY|SELL!, open OPEN|CLOSE!, positionType 1|2?, clientOrderId clientId?, timeInForce IOC|FOK|POST_ONLY?',
  },
  {
    ...GET,
    op: 'futures.orderInformation',
    args: { ...E_BTC, orderId: '259396989397942275' },
    target: '/fapi/v1/order?contractName=E-BTC-USDT&orderId=259396989397942275',
    security: 'TRADE',
    params: 'contractName name!, orderId "id"!, clientOrderId clientId?',
  },
  {
    ...WRITE,
    op: 'futures.createConditionOrder',
    target: '/fapi/v1/conditionOrder/',
    security: 'TRADE',
    args: { ...E_BTC, triggerType: '1', triggerPrice: '60000', positionType: 2, open: 'CLOSE', side: 'SELL', type: 'MARKET', volume: '3' },
    body: '{"triggerType":"1","triggerPrice":"60000","positionType":2,"open":"CLOSE","side":"SELL","type":"MARKET","contractName":"E-BTC-USDT","volume":3}',
    // The specification has each as optional; those that services need are required here (exchange dialect, row 20).
    params:
      'triggerType 1|2|3|4!, triggerPrice "decimal"!, clientOrderId clientId?, positionType 1|2?, open OPEN|CLOSE!, side BUY|SELL!, type LIMIT|MARKET!, contractName name!, price decimal with type LIMIT, volume decimal!',
  },
  {
    ...WRITE,
    op: 'futures.cancelOrder',
    args: { ...E_BTC, orderId: '259396989397942275' },
    target: '/fapi/v1/cancel',
    security: 'TRADE',
    body: '{"contractName":"E-BTC-USDT","orderId":"259396989397942275"}',
    params: 'contractName name!, orderId "id"!',
  },
  {
    ...GET,
    op: 'futures.openOrders',
    args: E_BTC,
    target: '/fapi/v1/openOrders?contractName=E-BTC-USDT',
    security: 'TRADE',
    params: 'contractName name?',
  },
  {
    ...LIST,
    op: 'futures.orderHistory',
    args: { ...E_BTC, limit: 100, fromId: '777293886968070157' },
    target: '/fapi/v1/orderHistorical',
    security: 'TRADE',
    body: '{"contractName":"E-BTC-USDT","limit":"100","fromId":777293886968070157}',
    params: 'contractName name?, limit "1..1000"=100?, fromId id?',
  },
  {
    // Every parameter is optional, but the body must not be empty.
    ...LIST,
    op: 'futures.profitHistory',
    args: {},
    target: '/fapi/v1/profitHistorical',
    security: 'TRADE',
    body: '{"limit":"100"}',
    params: 'contractName name?, limit "1..1000"=100?, fromId id?',
  },
  {
    ...GET,
    op: 'futures.myTrades',
    args: { ...E_BTC, limit: 50 },
    target: '/fapi/v1/myTrades?contractName=E-BTC-USDT&limit=50',
    security: 'TRADE',
    params: 'contractName name!, limit "1..1000"=100?, fromId id?',
  },
  {
    ...GET,
    op: 'futures.positions',
    args: E_BTC,
    target: '/fapi/v1/positions?contractName=E-BTC-USDT',
    security: 'USER_DATA',
    params: 'contractName name!',
  },
  {
    ...WRITE,
    op: 'futures.changePositionMode',
    args: { ...E_BTC, positionModel: 2 },
    target: '/fapi/v1/edit_user_position_model',
    security: 'TRADE',
    body: '{"contractName":"E-BTC-USDT","positionModel":2}',
    params: 'contractName name!, positionModel 1|2!',
  },
  {
    ...WRITE,
    op: 'futures.changeMarginMode',
    args: { ...E_BTC, marginModel: 1 },
    target: '/fapi/v1/edit_user_margin_model',
    security: 'TRADE',
    body: '{"contractName":"E-BTC-USDT","marginModel":1}',
    params: 'contractName name!, marginModel 1|2!',
  },
  {
    ...WRITE,
    op: 'futures.changeLeverage',
    args: { ...E_BTC, nowLevel: 20 },
    target: '/fapi/v1/edit_lever',
    security: 'TRADE',
    body: '{"contractName":"E-BTC-USDT","nowLevel":"20"}',
    params: 'contractName name!, nowLevel "1..1000"!',
  },
  {
    ...LIST,
    op: 'futures.triggerOrderList',
    args: { ...E_BTC, page: 2, limit: 1000 },
    target: '/fapi/v1/trigger_order_list',
    security: 'TRADE',
    body: '{"contractName":"E-BTC-USDT","page":2,"limit":1000}',
    params: 'contractName name!, page 1..1000000=1?, limit 1..1000=1000?',
  },
  {
    ...WRITE,
    op: 'futures.cancelTriggerOrder',
    args: { ...E_BTC, orderId: '1322738336974712847' },
    target: '/v1/inner/trigger_order_cancel',
    security: 'TRADE',
    body: '{"contractName":"E-BTC-USDT","orderId":1322738336974712847}',
    params: 'contractName name!, orderId id!',
  },
  { ...GET, op: 'futures.account', args: {}, target: '/fapi/v1/account', security: 'USER_DATA', params: '' },
];

/** The requests of all calls, spot first. */
export const EXPECTED_REQUESTS: readonly ExpectedRequest[] = [...EXPECTED_SPOT, ...EXPECTED_FUTURES];
