// Describes the replies about the futures account: positions and margin. Amounts are in the margin coin unless a comment says otherwise.

import { isList, jsonObject, type Json } from '../json/json.ts';
import { listAnswer } from './answer.ts';
import { required, nullable, optional, wireRecord } from './record.ts';
import {
  wireDecimal,
  wireIdOrNone,
  wireInteger,
  Mismatch,
  wireSide,
  wireText,
  wireUpperText,
  wireZonelessTime,
  type Value,
} from './value.ts';

/**
 * An open position. `positionVolume` is in contracts, and so is `canCloseVolume`, which excludes what closing orders hold. `positionType`
 * is 1 for cross, 2 for isolated; `reducePrice` is the price of forced reduction.
 */
export type WirePosition = ReturnType<typeof position.read>;
const position = wireRecord({
  symbol: required(wireUpperText, 'symbol', 'contractName'),
  leverage: required(wireInteger, 'leverage', 'leverageLevel'),
  positionType: required(wireInteger),
  avgPrice: nullable(wireDecimal),
  positionSide: required(wireSide, 'positionSide', 'side'),
  realizedAmount: nullable(wireDecimal),
  positionVolume: required(wireDecimal, 'positionVolume', 'volume'),
  holdAmount: nullable(wireDecimal),
  openPrice: nullable(wireDecimal),
  ctime: optional(wireZonelessTime),
  mtime: optional(wireZonelessTime),
  canCloseVolume: required(wireDecimal),
  reducePrice: optional(wireDecimal),
  keepRate: optional(wireDecimal),
  capitalFee: optional(wireDecimal),
  tradeFee: optional(wireDecimal),
  shareAmount: optional(wireDecimal),
});
/** The reply to the list of positions. */
export const positionsAnswer = listAnswer(position, {
  shape: '{positions: [position]}',
  member: 'positions',
  write: (rows) => jsonObject({ positions: rows }),
});

interface RowsValue<T> extends Value<readonly T[]> {
  readonly row: Value<T>;
}

/** Returns a list as the value of a record's member. One bad row rejects the record, because a partial list of positions would mislead. */
function rowsOf<T>(row: Value<T>): RowsValue<T> {
  return {
    kind: 'rows',
    row,
    read(json) {
      if (!isList(json)) throw new Mismatch('a list', json);
      return json.map((element, index) => {
        try {
          return row.read(element);
        } catch (error) {
          if (error instanceof Mismatch) error.within(`[${index}]`);
          throw error;
        }
      });
    },
    write: (values, variants): Json => values.map((value) => row.write(value, variants)),
  };
}

const accountPosition = wireRecord({
  id: nullable(wireIdOrNone),
  uid: nullable(wireIdOrNone),
  positionType: required(wireInteger),
  side: required(wireSide),
  volume: required(wireDecimal),
  openPrice: nullable(wireDecimal),
  avgPrice: nullable(wireDecimal),
  leverageLevel: required(wireInteger),
  marginRate: nullable(wireDecimal),
  unRealizedAmount: nullable(wireDecimal),
});

const positionsOfContract = wireRecord({
  contractId: nullable(wireInteger),
  contractName: required(wireUpperText),
  contractSymbol: nullable(wireText),
  positions: nullable(rowsOf(accountPosition)),
});

/**
 * The account of one margin coin. `accountNormal` is the balance, `accountLock` frozen margin, `achievedAmount` and `unrealizedAmount`
 * profit and loss, `totalEquity` the cross equity and `partEquity` the isolated equity.
 */
export type MarginAccount = ReturnType<typeof marginAccount.read>;
const marginAccount = wireRecord({
  marginCoin: required(wireUpperText),
  accountNormal: required(wireDecimal),
  accountLock: required(wireDecimal),
  partPositionNormal: optional(wireDecimal),
  totalPositionNormal: optional(wireDecimal),
  achievedAmount: nullable(wireDecimal),
  unrealizedAmount: nullable(wireDecimal),
  totalEquity: nullable(wireDecimal),
  partEquity: nullable(wireDecimal),
  bonusBalance: nullable(wireDecimal),
  walletBalance: nullable(wireDecimal),
  availableAmount: nullable(wireDecimal),
  positionVos: nullable(rowsOf(positionsOfContract)),
});
/** The reply to the query of the account. */
export const marginAccountsAnswer = listAnswer(marginAccount, {
  shape: '{account: [account]}',
  member: 'account',
  write: (rows) => jsonObject({ account: rows }),
});
