// Describes the replies about the futures account: positions and margin. Amounts are in the margin coin unless a comment says otherwise.

import { isList, jsonObject, type Json } from '../json/json.ts';
import { list } from './answer.ts';
import { required, nullable, optional, record } from './record.ts';
import { decimal, idOrNone, integer, Mismatch, side, text, upperText, zonelessTime, type Value } from './value.ts';

/**
 * An open position. `positionVolume` is in contracts, and so is `canCloseVolume`, which excludes what closing orders hold. `positionType`
 * is 1 for cross, 2 for isolated; `reducePrice` is the price of forced reduction.
 */
export type WirePosition = ReturnType<typeof position.read>;
const position = record({
  symbol: required(upperText, 'symbol', 'contractName'),
  leverage: required(integer, 'leverage', 'leverageLevel'),
  positionType: required(integer),
  avgPrice: nullable(decimal),
  positionSide: required(side, 'positionSide', 'side'),
  realizedAmount: nullable(decimal),
  positionVolume: required(decimal, 'positionVolume', 'volume'),
  holdAmount: nullable(decimal),
  openPrice: nullable(decimal),
  ctime: optional(zonelessTime),
  mtime: optional(zonelessTime),
  canCloseVolume: required(decimal),
  reducePrice: optional(decimal),
  keepRate: optional(decimal),
  capitalFee: optional(decimal),
  tradeFee: optional(decimal),
  shareAmount: optional(decimal),
});
/** The reply to the list of positions. */
export const positionsAnswer = list(position, {
  shape: '{positions: [position]}',
  member: 'positions',
  write: (rows) => jsonObject({ positions: rows }),
});

interface RowsValue<T> extends Value<readonly T[]> {
  readonly row: Value<T>;
}

/** A list inside a record. One bad row rejects the record, because a partial list of positions would mislead. */
function rowsOf<T>(row: Value<T>): RowsValue<T> {
  return {
    kind: 'rows',
    row,
    read(json) {
      if (!isList(json)) throw new Mismatch('a list', json);
      return json.map((each, index) => {
        try {
          return row.read(each);
        } catch (error) {
          if (error instanceof Mismatch) error.within(`[${index}]`);
          throw error;
        }
      });
    },
    write: (values, variants): Json => values.map((value) => row.write(value, variants)),
  };
}

const accountPosition = record({
  id: nullable(idOrNone),
  uid: nullable(idOrNone),
  positionType: required(integer),
  side: required(side),
  volume: required(decimal),
  openPrice: nullable(decimal),
  avgPrice: nullable(decimal),
  leverageLevel: required(integer),
  marginRate: nullable(decimal),
  unRealizedAmount: nullable(decimal),
});

const positionsOfContract = record({
  contractId: nullable(integer),
  contractName: required(upperText),
  contractSymbol: nullable(text),
  positions: nullable(rowsOf(accountPosition)),
});

/**
 * The account of one margin coin. `accountNormal` is the balance, `accountLock` frozen margin, `achievedAmount` and `unrealizedAmount`
 * profit and loss, `totalEquity` the cross equity and `partEquity` the isolated equity.
 */
export type MarginAccount = ReturnType<typeof marginAccount.read>;
const marginAccount = record({
  marginCoin: required(upperText),
  accountNormal: required(decimal),
  accountLock: required(decimal),
  partPositionNormal: optional(decimal),
  totalPositionNormal: optional(decimal),
  achievedAmount: nullable(decimal),
  unrealizedAmount: nullable(decimal),
  totalEquity: nullable(decimal),
  partEquity: nullable(decimal),
  bonusBalance: nullable(decimal),
  walletBalance: nullable(decimal),
  availableAmount: nullable(decimal),
  positionVos: nullable(rowsOf(positionsOfContract)),
});
/** The reply to the query of the account. */
export const marginAccountsAnswer = list(marginAccount, {
  shape: '{account: [account]}',
  member: 'account',
  write: (rows) => jsonObject({ account: rows }),
});
