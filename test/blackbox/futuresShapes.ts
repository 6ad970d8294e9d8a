// Declares the records of futures replies, written by hand from part 2.2 of the specification.

import { bool, digits, empty, iso, listOf, long, members, ms, notShown, num, nullable, numText, oneOf, text } from './shapes.ts';

/** A row of `futures.contracts`. */
export const contract = members({
  symbol: text,
  pricePrecision: long,
  side: long,
  maxMarketVolume: num,
  multiplier: num,
  maxLever: long,
  minOrderVolume: num,
  marginCoin: text,
  type: text,
  openMakerFee: num,
  openTakerFee: num,
  closeMakerFee: num,
  closeTakerFee: num,
  multiplierCoin: text,
  contractId: long,
  minLever: long,
  status: long,
});

/** The reply of an order query. */
export const order = members({
  side: oneOf('BUY'),
  executedQty: num,
  orderId: long,
  origQty: num,
  avgPrice: num,
  tradeFee: num,
  realizedAmount: num,
  type: oneOf('LIMIT'),
  price: num,
  transactTime: ms,
  action: oneOf('OPEN'),
  contractName: oneOf('E-BTC-USDT'),
  timeInForce: text,
  fills: empty,
  status: text,
});

/** A row of the order history. */
export const historyRow = members(
  {
    side: text,
    clientId: text,
    ctimeMs: ms,
    positionType: long,
    orderId: long,
    avgPrice: num,
    realizedAmount: num,
    fee: num,
    openOrClose: text,
    leverageLevel: long,
    source: long,
    type: long,
    volume: num,
    dealVolume: num,
    price: num,
    contractId: long,
    ctime: iso,
    contractName: text,
    dealMoney: num,
    status: long,
  },
  // Four rates that real services add.
  ['openTakerFeeRate', 'openMakerFeeRate', 'closeTakerFeeRate', 'closeMakerFeeRate'],
);

/** A row of the account's trades. */
export const ownTrade = members({
  symbol: text,
  amount: num,
  side: text,
  fee: numText,
  isMaker: bool,
  isBuyer: bool,
  bidId: long,
  bidUserId: num,
  price: num,
  qty: num,
  askId: long,
  contractName: text,
  time: ms,
  tradeId: long,
  askUserId: num,
});

/** The reply with all open positions. */
export const positionsShape = members({
  positions: listOf(
    members(
      {
        symbol: text,
        leverage: long,
        positionType: oneOf(1, 2),
        avgPrice: num,
        positionSide: oneOf('BUY', 'SELL'),
        realizedAmount: num,
        positionVolume: num,
        holdAmount: num,
        openPrice: num,
        ctime: iso,
        mtime: iso,
        canCloseVolume: num,
      },
      // What real services add.
      ['reducePrice', 'keepRate', 'capitalFee', 'tradeFee', 'shareAmount'],
    ),
  ),
});

/** The reply with the waiting trigger orders. */
export const triggers = members({
  count: long,
  trigOrderList: listOf(
    members(
      {
        triggerOrderId: digits,
        side: oneOf('BUY', 'SELL'),
        triggerPrice: num,
        marginCoin: text,
        volume: num,
        price: num,
        contractId: notShown,
        contractName: text,
        id: digits,
        triggerType: long,
        open: oneOf('OPEN', 'CLOSE'),
        status: long,
      },
      ['multiplier', 'pricePrecision', 'expireTime', 'ctime', 'mtime'],
    ),
  ),
});

/** The reply with the balances of the account and its positions. */
export const account = members({
  account: listOf(
    members(
      {
        marginCoin: text,
        accountNormal: num,
        accountLock: num,
        achievedAmount: num,
        unrealizedAmount: num,
        totalEquity: num,
        partEquity: num,
        bonusBalance: nullable(num),
        walletBalance: nullable(num),
        availableAmount: nullable(num),
        positionVos: listOf(
          members({
            contractId: long,
            contractName: text,
            contractSymbol: text,
            positions: listOf(
              members({
                id: notShown,
                uid: notShown,
                positionType: oneOf(1, 2),
                side: text,
                volume: num,
                openPrice: num,
                avgPrice: num,
                leverageLevel: long,
                marginRate: num,
                unRealizedAmount: num,
              }),
            ),
          }),
        ),
      },
      ['partPositionNormal', 'totalPositionNormal'],
    ),
  ),
});
