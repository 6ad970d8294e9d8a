// Returns what a trade has moved on its account, so that rules can compare the sum of trades with the balances of the exchange.

import type { OwnTrade } from '../../../../src/paperExchange/orders/userOrder.ts';
import { CASH_UNITS_PER_LOT_AND_TICK, UNITS_PER_LOT } from '../venueTerms.ts';

/** Returns the units of the traded coin that the account has received; below 0: given away. A fee in the coin is subtracted. */
export const coinUnitsOf = ({ isBuyer, lots, fee, feeInBase }: OwnTrade): number =>
  (isBuyer ? lots : -lots) * UNITS_PER_LOT - (feeInBase ? fee : 0);

/** Returns the units of cash that the account has received; below 0: paid. A fee in cash is subtracted. */
export const cashUnitsOf = ({ isBuyer, lots, price, fee, feeInBase }: OwnTrade): number =>
  (isBuyer ? -1 : 1) * lots * price * CASH_UNITS_PER_LOT_AND_TICK - (feeInBase ? 0 : fee);

/** Removes the newest trades of a restored order, down to its filled lots: the exchange lost them in its crash. */
export function retainFilled(trades: OwnTrade[], filledLots: number): void {
  let [lotsSum, count] = [0, 0];
  while (count < trades.length && lotsSum < filledLots) lotsSum += trades[count++]!.lots;
  trades.length = count;
}
