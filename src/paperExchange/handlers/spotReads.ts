// The four signed spot reads: one order, open orders, own trades, balances.

import { fromScaled } from '../../base/number/decimal.ts';
import { encodeAnswer, listing } from '../../protocol/shapes/answer.ts';
import { spotAccountAnswer, spotFillsAnswer, spotOpenOrdersAnswer, spotOrderAnswer } from '../../protocol/shapes/spot.ts';
import { signed, wholeOf, type Handlers } from '../api/call.ts';
import { done } from '../api/message.ts';
import type { Profile } from '../dialect/switches.ts';
import type { SpotExchange } from '../spot/spotExchange.ts';
import { orderMeant } from './spotTrading.ts';
import { fillOf, orderOf } from './spotText.ts';

export function spotReads(exchange: SpotExchange, profile: Profile): Handlers {
  const { orders, venue } = exchange;
  const assets = Array.from(exchange.assets());
  return {
    'spot.queryOrder': signed(({ args, caller }) => {
      const order = orderMeant(args, caller.account, exchange, profile.queryByClientId === 'works');
      const found = order === null || order.shown === null ? null : orderOf(order, order.shown, profile);
      return done(encodeAnswer(spotOrderAnswer, found, profile));
    }),
    'spot.openOrders': signed(({ args, caller }) => {
      const found = orders.open(caller.account, args.instrument, wholeOf(args, 'limit'));
      const rows = found.flatMap((order) => (order.shown === null ? [] : [orderOf(order, order.shown, profile)]));
      return done(encodeAnswer(spotOpenOrdersAnswer, listing(rows), profile));
    }),
    'spot.myTrades': signed(({ args, caller }) => {
      const from = args.texts.get('fromId');
      const fromId = from === undefined ? null : Number(from) + (profile.fromId === 'exclusive' ? 1 : 0);
      const found = orders.trades(caller.account, args.instrument, wholeOf(args, 'limit'), fromId);
      return done(encodeAnswer(spotFillsAnswer, listing(found.map(fillOf)), profile));
    }),
    'spot.account': signed(({ caller: { account, uid } }) => {
      const rows = assets.map(([asset, digits]) => ({
        asset,
        free: fromScaled(venue.free(account, asset), digits),
        locked: fromScaled(venue.locked(account, asset), digits),
      }));
      return done(encodeAnswer(spotAccountAnswer, { uid, ...listing(rows) }, profile));
    }),
  };
}
