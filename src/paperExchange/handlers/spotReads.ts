// Handlers of the four signed spot reads: one order, open orders, own trades, balances.

import { fromScaled } from '../../base/number/decimal.ts';
import { encodeAnswer, listing } from '../../protocol/shapes/answer.ts';
import { spotAccountAnswer, spotFillsAnswer, spotOpenOrdersAnswer, spotOrderAnswer } from '../../protocol/shapes/spot.ts';
import { signedHandler, integerArg, type Handlers } from '../api/call.ts';
import { succeeded } from '../api/message.ts';
import type { Profile } from '../dialect/switches.ts';
import type { SpotExchange } from '../spot/spotExchange.ts';
import { findNamedOrder } from './spotTrading.ts';
import { spotFillRecord, spotOrderRecord } from './spotText.ts';
import { TradeLists } from './tradeLists.ts';

/** Returns the handlers of the signed spot reads. */
export function spotReads(exchange: SpotExchange, profile: Profile): Handlers {
  const { orders, venue } = exchange;
  const tradeLists = new TradeLists(orders, { answer: spotFillsAnswer, recordOf: spotFillRecord, variants: profile });
  const assets = Array.from(exchange.assets());
  return {
    'spot.queryOrder': signedHandler(({ args, caller }) => {
      const order = findNamedOrder(args, caller.account, exchange, profile.queryByClientId === 'works');
      const row = order === null || order.visible === null ? null : spotOrderRecord(order, order.visible, profile);
      return succeeded(encodeAnswer(spotOrderAnswer, row, profile));
    }),
    'spot.openOrders': signedHandler(({ args, caller }) => {
      const openOrders = orders.visiblyOpen(caller.account, args.instrument, integerArg(args, 'limit'));
      const rows = openOrders.flatMap((order) => (order.visible === null ? [] : [spotOrderRecord(order, order.visible, profile)]));
      return succeeded(encodeAnswer(spotOpenOrdersAnswer, listing(rows), profile));
    }),
    'spot.myTrades': signedHandler(({ args, caller }) => {
      const fromIdText = args.texts.get('fromId');
      const fromId = fromIdText === undefined ? null : Number(fromIdText) + (profile.fromId === 'exclusive' ? 1 : 0);
      const { account } = caller;
      const { instrument } = args;
      return succeeded(tradeLists.bodyOf({ account, instrument, limit: integerArg(args, 'limit'), fromId }));
    }),
    'spot.account': signedHandler(({ caller: { account, uid } }) => {
      const rows = assets.map(([asset, digits]) => ({
        asset,
        free: fromScaled(venue.free(account, asset), digits),
        locked: fromScaled(venue.locked(account, asset), digits),
      }));
      return succeeded(encodeAnswer(spotAccountAnswer, { uid, ...listing(rows) }, profile));
    }),
  };
}
