// Makes orders that a person places by hand from the create requests of a bot: with the same terms, or with one other term.

import { lots, ticks, units } from '../../../../src/base/brand.ts';
import type { OrderIntent } from '../../../../src/model/order.ts';
import type { SimulatedVenue } from '../venue.ts';

/** Returns the order intent of a create request; null for a request of another form. */
export function intentOf(body: string, venue: SimulatedVenue): OrderIntent | null {
  const field = (name: string): string | undefined => new RegExp(`"${name}":"?([^",}]+)`).exec(body)?.[1];
  const market = venue.side.market(field('symbol') ?? '');
  if (market === null || market === undefined) return null;
  const { instrument } = market;
  const isBuy = field('side') === 'BUY';
  const isMarket = field('type') === 'MARKET';
  const volume = Number(field('volume'));
  const isByAmount = isMarket && isBuy;
  return {
    instrument,
    side: isBuy ? 'buy' : 'sell',
    role: isMarket ? 'market' : 'limit',
    lots: lots(isByAmount ? 0 : Math.round(volume * 10 ** instrument.quantityDigits)),
    quoteUnits: units(isByAmount ? Math.round(volume * 10 ** instrument.quoteDigits) : 0),
    limit: ticks(isMarket ? 0 : Math.round(Number(field('price')) * 10 ** instrument.priceDigits)),
    reduceOnly: false,
    timeInForce: null,
    slot: '',
  };
}

/** Returns an order that differs in one term: a market order in its amount, a limit order in its limit. `draw`, in [0, 1): higher or lower. */
export function withOtherTerm(intent: OrderIntent, draw: number): OrderIntent {
  if (intent.role === 'market')
    return { ...intent, lots: lots(Math.ceil(intent.lots * 0.7)), quoteUnits: units(Math.ceil(intent.quoteUnits * 0.7)) };
  return { ...intent, limit: ticks(intent.limit + (draw < 0.5 ? 3 : -3)) };
}
