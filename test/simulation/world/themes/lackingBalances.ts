// Changes a list of balances into that of a replica which lacks some trades of the bot.

import { Decimal } from 'decimal.js';
import type { TrueOrder } from '../venue.ts';
import { CASH_UNITS_PER_LOT_AND_TICK, UNITS_PER_COIN, UNITS_PER_LOT } from '../venueTerms.ts';
import { changeRows, fieldOf } from './replies.ts';

/** Returns a list of balances without the trades of these orders. */
export function withoutTradesOf(body: string, orders: readonly TrueOrder[]): string {
  const movedUnits = new Map<string, number>();
  const add = (asset: string, units: number): void => void movedUnits.set(asset, (movedUnits.get(asset) ?? 0) + units);
  for (const { order, trades } of orders) {
    const { base, quote } = order.instrument;
    for (const { isBuyer, lots, price, fee, feeInBase } of trades) {
      const sign = isBuyer ? 1 : -1;
      add(base, sign * lots * UNITS_PER_LOT - (feeInBase ? fee : 0));
      add(quote, -sign * lots * price * CASH_UNITS_PER_LOT_AND_TICK - (feeInBase ? 0 : fee));
    }
  }
  return movedUnits.size === 0 ? body : changeRows(body, (row) => withLessFree(row, movedUnits.get(fieldOf(row, 'asset')) ?? 0));
}

/** Returns the row of a balance with `units` fewer free units. */
function withLessFree(row: string, units: number): string {
  const free = new Decimal(fieldOf(row, 'free')).minus(new Decimal(units).div(UNITS_PER_COIN)).toFixed();
  return units === 0 ? row : row.replace(/("free":"?)[0-9.]+/, (_, name: string) => `${name}${free}`);
}
