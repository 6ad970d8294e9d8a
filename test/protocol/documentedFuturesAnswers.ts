// Lists the documented futures replies and the meaning of each, written by hand from the specification and the exchange dialect.

import type { Op } from '../../src/protocol/endpoints/endpoints.ts';
import { answer, bar, list, NO_ORDER, reading, type DocumentedAnswer } from './documented.ts';

const FUTURES_ORDER = {
  side: 'buy',
  executedQty: '0.5',
  orderId: '259396989397942275',
  origQty: '1',
  avgPrice: '71990',
  tradeFee: null,
  realizedAmount: null,
  type: reading('LIMIT'),
  price: '72000',
  timeMs: 1607702400000,
  action: 'OPEN',
  contractName: 'E-BTC-USDT',
  timeInForce: null,
  status: reading('NEW'),
};
const FUTURES_OPEN_BODY =
  '{"side":"BUY","executedQty":0.5,"orderId":259396989397942275,"price":72000,"origQty":1,"avgPrice":71990.0,"transactTime":1607702400000,"action":"OPEN","contractName":"E-BTC-USDT","type":"LIMIT","status":"NEW"}';
const FUTURES_ORDER_BODY =
  '{"side":"BUY","executedQty":0.5,"orderId":259396989397942275,"origQty":1,"avgPrice":71990.0,"tradeFee":0.0004371,"realizedAmount":0,"type":"LIMIT","price":72000,"transactTime":1607702400000,"action":"OPEN","contractName":"E-BTC-USDT","timeInForce":"","fills":[],"status":"INIT"}';
const FUTURES_ORDER_FULL = { ...FUTURES_ORDER, tradeFee: '0.0004371', realizedAmount: '0', status: reading('INIT') };

const HISTORY_BODY =
  '{"side":"BUY","clientId":"0","ctimeMs":1632903411000,"positionType":2,"orderId":777293886968070157,"avgPrice":41000,"openOrClose":"OPEN","leverageLevel":26,"type":4,"volume":2,"dealVolume":1,"price":41000,"contractId":1,"ctime":"2021-09-29T16:16:51","contractName":"E-BTC-USDT","dealMoney":4.1,"status":4';
const HISTORY = {
  side: 'buy',
  clientId: null,
  ctimeMs: 1632903411000,
  positionType: 2,
  orderId: '777293886968070157',
  avgPrice: '41000',
  realizedAmount: null,
  fee: null,
  openOrClose: 'OPEN',
  leverageLevel: 26,
  source: null,
  type: reading('FOK', '4'),
  volume: '2',
  dealVolume: '1',
  price: '41000',
  contractId: 1,
  ctime: 1632903411000,
  contractName: 'E-BTC-USDT',
  dealMoney: '4.1',
  status: reading('CANCELED', '4'),
  openTakerFeeRate: null,
  openMakerFeeRate: null,
  closeTakerFeeRate: null,
  closeMakerFeeRate: null,
};

const CONTRACT_BODY =
  '{"symbol":"E-BTC-USDT","pricePrecision":2,"side":1,"maxMarketVolume":5000000,"multiplier":0.0001,"maxLever":150,"minOrderVolume":1,"marginCoin":"USDT","type":"E","openMakerFee":0.00025,"openTakerFee":0.00075,"closeMakerFee":2.5E-4,"closeTakerFee":7.5E-4,"multiplierCoin":"BTC","contractId":1,"minLever":1,"status":1';
const CONTRACT = {
  symbol: 'E-BTC-USDT',
  pricePrecision: 2,
  side: 1,
  maxMarketVolume: '5000000',
  multiplier: '0.0001',
  maxLever: 150,
  minOrderVolume: '1',
  marginCoin: 'USDT',
  type: 'E',
  openMakerFee: '0.00025',
  openTakerFee: '0.00075',
  closeMakerFee: '0.00025',
  closeTakerFee: '0.00075',
  multiplierCoin: 'BTC',
  contractId: 1,
  minLever: 1,
  status: 1,
  minOrderMoney: null,
  maxMarketMoney: null,
  maxLimitVolume: null,
  maxLimitMoney: null,
};

const tradeRow = [
  answer('spec', '{"code":"0","msg":"成功","data":null}', null),
  answer('other text, code a number', '{"code":0,"msg":"Success","data":null,"msgData":null,"succ":true}', null),
];
/** The replies by operation. */
export const FUTURES_ANSWERS: Readonly<Record<Extract<Op, `futures.${string}`>, readonly DocumentedAnswer[]>> = {
  'futures.ping': [answer('spec', '{}', null)],
  'futures.serverTime': [
    answer('spec', '{"timezone":"GMT+08:00","serverTime":1702453975000}', { serverTimeMs: 1702453975000, timezone: 'GMT+08:00' }),
  ],
  'futures.contracts': [
    answer('spec', `[${CONTRACT_BODY}}]`, list(CONTRACT)),
    answer(
      'wide',
      `[${CONTRACT_BODY},"minOrderMoney":10,"maxMarketMoney":500000,"maxLimitVolume":1000000,"maxLimitMoney":1E+6}]`,
      list({
        ...CONTRACT,
        minOrderMoney: '10',
        maxMarketMoney: '500000',
        maxLimitVolume: '1000000',
        maxLimitMoney: '1000000',
      }),
    ),
  ],
  'futures.depth': [
    answer('spec, time null', '{"asks":[[100,1],[100.5,2]],"bids":[[99.5,3]],"time":null}', {
      timeMs: null,
      asks: [
        { price: '100', quantity: '1' },
        { price: '100.5', quantity: '2' },
      ],
      bids: [{ price: '99.5', quantity: '3' }],
    }),
  ],
  'futures.ticker': [
    answer(
      'spec',
      '{"high":"30302.2","vol":"3400.10","last":"29500","low":"28000.0","buy":29499.5,"sell":29500.5,"rose":"-0.0235","time":1690000000000}',
      {
        high: '30302.2',
        volume: '3400.1',
        last: '29500',
        low: '28000',
        buy: '29499.5',
        sell: '29500.5',
        rose: '-0.0235',
        timeMs: 1690000000000,
      },
    ),
  ],
  'futures.indexPrice': [
    answer(
      'dialect, section 12',
      '{"currentFundRate":0.0000379900000000,"tagPrice":84167.7,"indexPrice":84200.18666666666199250,"nextFundRate":0.000074}',
      {
        currentFundRate: '0.00003799',
        tagPrice: '84167.7',
        indexPrice: '84200.1866666666619925',
        nextFundRate: '0.000074',
      },
    ),
    answer('other names', '{"markPrice":581.5,"indexPrice":646.3933333333333,"lastFundingRate":0.001,"contractName":"E-ETH-USDT"}', {
      currentFundRate: '0.001',
      tagPrice: '581.5',
      indexPrice: '646.3933333333333',
      nextFundRate: null,
    }),
  ],
  'futures.klines': [
    answer('spec', '[{"high":"2","vol":"3","low":"0.50","idx":1538728800000,"close":"1.5","open":"1"}]', list(bar(1538728800000, '1.5'))),
  ],
  'futures.createOrder': [
    answer('spec', '{"orderId":"256609229205684228"}', { orderId: '256609229205684228' }),
    answer('number in an envelope', '{"code":"0","msg":"Success","data":{"orderId":256609229205684228}}', {
      orderId: '256609229205684228',
    }),
  ],
  'futures.orderInformation': [
    answer('spec', FUTURES_ORDER_BODY, FUTURES_ORDER_FULL),
    answer('one-element list', `[${FUTURES_ORDER_BODY}]`, FUTURES_ORDER_FULL),
    answer('not found', NO_ORDER, null),
    answer('time in force as a code', FUTURES_ORDER_BODY.replace('"timeInForce":""', '"timeInForce":"5"'), {
      ...FUTURES_ORDER_FULL,
      timeInForce: reading('POST_ONLY', '5'),
    }),
  ],
  'futures.createConditionOrder': [
    answer(
      'dialect, section 12',
      '{"code":"0","msg":"Success","data":{"triggerIds":["1322738336974712847"],"ids":[],"cancelIds":[]},"succ":true}',
      {
        triggerIds: ['1322738336974712847'],
        ids: [],
        cancelIds: [],
      },
    ),
    answer('the older answer', '{"orderId":"1322738336974712847"}', { triggerIds: ['1322738336974712847'], ids: [], cancelIds: [] }),
  ],
  'futures.cancelOrder': [answer('spec', '{"orderId":"256609229205684228"}', { orderId: '256609229205684228' })],
  'futures.openOrders': [
    answer('spec', '{"code":"0","msg":"成功","data":null}', list()),
    answer('envelope', `{"code":"0","msg":"Success","data":[${FUTURES_OPEN_BODY}]}`, list(FUTURES_ORDER)),
    answer(
      'dialect, section 12',
      `[${FUTURES_OPEN_BODY.replace('1607702400000', '"1607702400000"').replace('71990.0', '0E-8')}]`,
      list({ ...FUTURES_ORDER, avgPrice: '0' }),
    ),
  ],
  'futures.orderHistory': [
    answer(
      'dialect, section 12',
      `[${HISTORY_BODY},"openTakerFeeRate":0.00075,"openMakerFeeRate":0.00025,"closeTakerFeeRate":"7.5E-4","closeMakerFeeRate":0.00025}]`,
      list({
        ...HISTORY,
        openTakerFeeRate: '0.00075',
        openMakerFeeRate: '0.00025',
        closeTakerFeeRate: '0.00075',
        closeMakerFeeRate: '0.00025',
      }),
    ),
    answer(
      'spec',
      `[${HISTORY_BODY.replace('"clientId":"0"', '"clientId":"my-id"')},"realizedAmount":0,"fee":-0.0003,"source":3}]`,
      list({
        ...HISTORY,
        clientId: 'my-id',
        realizedAmount: '0',
        fee: '-0.0003',
        source: reading('API', '3'),
      }),
    ),
    answer(
      'partly filled, rest cancelled',
      `[${HISTORY_BODY.replace('"status":4', '"status":7')}}]`,
      list({ ...HISTORY, status: reading('CANCELED', '7') }),
    ),
    answer(
      'a code that is in no table',
      `[${HISTORY_BODY.replace('"status":4', '"status":9').replace('"type":4', '"type":12')}}]`,
      list({
        ...HISTORY,
        status: reading('UNKNOWN', '9'),
        type: reading('UNKNOWN', '12'),
      }),
    ),
  ],
  'futures.profitHistory': [
    answer('spec', '[]', list()),
    answer(
      'dialect, section 12',
      '[{"side":"SELL","positionType":2,"tradeFee":-5.23575,"realizedAmount":0,"leverageLevel":22,"openPrice":44500,"settleProfit":0,"mtime":1632882739000,"shareAmount":0,"openEndPrice":44500,"closeProfit":-45,"volume":900,"contractId":1,"historyRealizedAmount":-50.23575,"ctime":1632882691000,"id":8764,"capitalFee":0}]',
      list({
        id: '8764',
        contractId: 1,
        contractName: null,
        side: 'sell',
        positionType: 2,
        leverageLevel: 22,
        volume: '900',
        openPrice: '44500',
        openEndPrice: '44500',
        closeProfit: '-45',
        tradeFee: '-5.23575',
        capitalFee: '0',
        shareAmount: '0',
        settleProfit: '0',
        realizedAmount: '0',
        historyRealizedAmount: '-50.23575',
        ctimeMs: 1632882691000,
        mtimeMs: 1632882739000,
      }),
    ),
  ],
  'futures.myTrades': [
    answer(
      'dialect, section 12',
      '[{"amount":0.3,"side":"BUY","fee":0.001,"isMaker":true,"isBuyer":true,"bidId":1874564572563538130,"bidUserId":10034,"price":10,"qty":3,"askId":1954072405852309104,"contractName":"E-ETH-USDT","time":1701419186000,"tradeId":1528,"askUserId":10378}]',
      list({
        symbol: null,
        contractName: 'E-ETH-USDT',
        tradeId: '1528',
        side: 'buy',
        isBuyer: true,
        isMaker: true,
        bidId: '1874564572563538130',
        askId: '1954072405852309104',
        bidUserId: '10034',
        askUserId: '10378',
        price: '10',
        quantity: '3',
        amount: '0.3',
        fee: '0.001',
        timeMs: 1701419186000,
      }),
    ),
  ],
  'futures.positions': [
    answer(
      'spec',
      '{"positions":[{"symbol":"E-BTC-USDT","leverage":20,"positionType":1,"avgPrice":84000.5,"positionSide":"BUY","realizedAmount":0,"positionVolume":3,"holdAmount":1.26,"openPrice":84000.5,"ctime":"2026-01-02T08:00:00","mtime":"2026-01-02T08:00:01","canCloseVolume":2}]}',
      list({
        symbol: 'E-BTC-USDT',
        leverage: 20,
        positionType: 1,
        avgPrice: '84000.5',
        positionSide: 'buy',
        realizedAmount: '0',
        positionVolume: '3',
        holdAmount: '1.26',
        openPrice: '84000.5',
        ctime: 1767312000000,
        mtime: 1767312001000,
        canCloseVolume: '2',
        reducePrice: null,
        keepRate: null,
        capitalFee: null,
        tradeFee: null,
        shareAmount: null,
      }),
    ),
    answer('none', '{"positions":null}', list()),
  ],
  'futures.changePositionMode': tradeRow,
  'futures.changeMarginMode': tradeRow,
  'futures.changeLeverage': tradeRow,
  'futures.triggerOrderList': [
    answer(
      'spec',
      '{"code":"0","msg":"成功","data":{"count":1,"trigOrderList":[{"id":"7","triggerOrderId":"1322738336974712847","contractId":1,"contractName":"E-BTC-USDT","marginCoin":"USDT","multiplier":0.0001,"triggerPrice":"60000.00","price":null,"pricePrecision":2,"volume":"3","open":"CLOSE","side":"SELL","status":0,"expireTime":0,"ctime":"2026-01-02T08:00:00","triggerType":1}]}}',
      {
        count: 1,
        ...list({
          triggerOrderId: '1322738336974712847',
          side: 'sell',
          triggerPrice: '60000',
          marginCoin: 'USDT',
          volume: '3',
          price: null,
          contractId: 1,
          contractName: 'E-BTC-USDT',
          id: '7',
          triggerType: reading('STOP_LOSS', '1'),
          open: 'CLOSE',
          status: reading('PENDING', '0'),
          ctime: 1767312000000,
        }),
      },
    ),
    answer('no data', '{"code":"0","msg":"成功","data":null}', { count: null, ...list() }),
  ],
  'futures.cancelTriggerOrder': [
    answer('spec', '{"code":"0","msg":"Success","data":null,"msgData":null,"succ":true}', null),
    answer('dialect, row 22', '{"orderId":"1322738336974712847"}', null),
  ],
  'futures.account': [
    answer(
      'spec',
      '{"account":[{"marginCoin":"USDT","accountNormal":999.5606,"accountLock":23.799,"partPositionNormal":110.8293,"totalPositionNormal":0,"achievedAmount":4156.5071,"unrealizedAmount":650.6385,"totalEquity":105044.99,"partEquity":12.3,"bonusBalance":null,"walletBalance":null,"availableAmount":null,"positionVos":[{"contractId":1,"contractName":"E-BTC-USDT","contractSymbol":"BTC-USDT","positions":[{"id":13603,"uid":10023,"positionType":1,"side":"SELL","volume":69642.0,"openPrice":11840.2394,"avgPrice":11840.3095,"leverageLevel":24,"marginRate":0.2097,"unRealizedAmount":4.3}]}]}]}',
      list({
        marginCoin: 'USDT',
        accountNormal: '999.5606',
        accountLock: '23.799',
        partPositionNormal: '110.8293',
        totalPositionNormal: '0',
        achievedAmount: '4156.5071',
        unrealizedAmount: '650.6385',
        totalEquity: '105044.99',
        partEquity: '12.3',
        bonusBalance: null,
        walletBalance: null,
        availableAmount: null,
        positionVos: [
          {
            contractId: 1,
            contractName: 'E-BTC-USDT',
            contractSymbol: 'BTC-USDT',
            positions: [
              {
                id: '13603',
                uid: '10023',
                positionType: 1,
                side: 'sell',
                volume: '69642',
                openPrice: '11840.2394',
                avgPrice: '11840.3095',
                leverageLevel: 24,
                marginRate: '0.2097',
                unRealizedAmount: '4.3',
              },
            ],
          },
        ],
      }),
    ),
  ],
};
