// Makes the orders that persons place by hand from the create requests of a bot: the same ones, and ones with other terms.

import { lots, ticks, units } from '../../../../src/base/brand.ts';
import type { OrderIntent } from '../../../../src/model/order.ts';
import type { SimulatedVenue } from '../venue.ts';

/** Returns the order that a create request asks for; null: the request has another form. */
export function intentOf(body: string, venue: SimulatedVenue): OrderIntent | null {
  const text = (name: string): string | undefined => new RegExp(`"${name}":"?([^",}]+)`).exec(body)?.[1];
  const market = venue.side.market(text('symbol') ?? '');
  if (market === null || market === undefined) return null;
  const { instrument } = market;
  const [isBuy, isMarket, volume] = [text('side') === 'BUY', text('type') === 'MARKET', Number(text('volume'))];
  const isAmount = isMarket && isBuy;
  return {
    instrument,
    side: isBuy ? 'buy' : 'sell',
    role: isMarket ? 'market' : 'limit',
    lots: lots(isAmount ? 0 : Math.round(volume * 10 ** instrument.quantityDigits)),
    quoteUnits: units(isAmount ? Math.round(volume * 10 ** instrument.quoteDigits) : 0),
    limit: ticks(isMarket ? 0 : Math.round(Number(text('price')) * 10 ** instrument.priceDigits)),
    reduceOnly: false,
    timeInForce: null,
    slot: '',
  };
}

/** Returns an order like this one that differs in one term: its amount, or its limit. */
export function otherwise(intent: OrderIntent, share: number): OrderIntent {
  if (intent.role === 'market')
    return { ...intent, lots: lots(Math.ceil(intent.lots * 0.7)), quoteUnits: units(Math.ceil(intent.quoteUnits * 0.7)) };
  return { ...intent, limit: ticks(intent.limit + (share < 0.5 ? 3 : -3)) };
}
