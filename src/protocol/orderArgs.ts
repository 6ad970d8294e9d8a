// Converts orders in whole ticks, lots and units to the arguments of a create request, in exact decimals.

import type { PositionType } from './contractModes.ts';
import { InvariantError } from '../base/errors.ts';
import { fromScaled } from '../base/number/decimal.ts';
import type { OrderIntent } from '../model/order.ts';
import type { OpArgs } from './endpoints/endpoints.ts';
import type { PositionAction } from './shapes/value.ts';

/** The members of an order that a create request needs. */
export type SizedOrder = Pick<OrderIntent, 'instrument' | 'side' | 'lots' | 'quoteUnits' | 'limit' | 'timeInForce'>;

/** Returns the limit price as a decimal text. */
export const orderPriceText = ({ instrument, limit }: Pick<SizedOrder, 'instrument' | 'limit'>): string =>
  fromScaled(limit, instrument.priceDigits);
/** Returns the quantity as a decimal text. */
export const orderQuantityText = ({ instrument, lots }: Pick<SizedOrder, 'instrument' | 'lots'>): string =>
  fromScaled(lots, instrument.quantityDigits);

const sideOf = ({ side }: SizedOrder): 'BUY' | 'SELL' => (side === 'buy' ? 'BUY' : 'SELL');

/**
 * Returns the arguments of `spot.newOrder`. `volume` is the base quantity, except for a MARKET BUY, where it is the amount in the quote
 * asset. Throws InvariantError for an order that mixes them up, or that has a time in force, which spot lacks.
 */
export function spotOrderArgs(order: SizedOrder, newClientOrderId: string): OpArgs<'spot.newOrder'> {
  const { instrument, lots, quoteUnits, limit, timeInForce } = order;
  const isBySize = limit > 0 || order.side === 'sell';
  if (instrument.market !== 'spot' || timeInForce !== null) throw new InvariantError('a spot order without a time in force was expected');
  if (isBySize ? !(lots > 0 && quoteUnits === 0) : !(quoteUnits > 0 && lots === 0)) {
    throw new InvariantError(
      `a spot order ${isBySize ? 'by base quantity' : 'by quote amount'} was expected, got ${lots} lots, ${quoteUnits} units`,
    );
  }
  const { wireName: symbol } = instrument;
  const side = sideOf(order);
  if (limit > 0) return { symbol, side, newClientOrderId, type: 'LIMIT', volume: orderQuantityText(order), price: orderPriceText(order) };
  const volume = isBySize ? orderQuantityText(order) : fromScaled(quoteUnits, instrument.quoteDigits);
  return { symbol, side, newClientOrderId, type: 'MARKET', volume };
}

/** Terms of a futures order in addition to size and price. */
export interface FuturesOrderTerms {
  readonly open: PositionAction;
  readonly positionType: PositionType;
}

/**
 * Returns the arguments of `futures.createOrder`. The volume is always in contracts, and the position type is always sent. Throws
 * InvariantError for an order by amount.
 */
export function futuresOrderArgs(
  order: SizedOrder,
  { open, positionType }: FuturesOrderTerms,
  clientOrderId: string,
): OpArgs<'futures.createOrder'> {
  const { instrument, lots, quoteUnits, limit, timeInForce } = order;
  if (instrument.market !== 'futures' || !(lots > 0) || quoteUnits !== 0) {
    throw new InvariantError(`a futures order in contracts was expected, got ${lots} lots, ${quoteUnits} units`);
  }
  if (limit === 0 && timeInForce !== null) throw new InvariantError('a time in force wants a limit price');
  const shared = {
    contractName: instrument.wireName,
    volume: orderQuantityText(order),
    side: sideOf(order),
    open,
    positionType,
    clientOrderId,
  };
  if (limit === 0) return { ...shared, type: 'MARKET' };
  return { ...shared, type: 'LIMIT', price: orderPriceText(order), ...(timeInForce === null ? {} : { timeInForce }) };
}
