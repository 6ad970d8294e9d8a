// Shows a fill to people: in the view of the bot, and as a line of the log.

import { fromScaled } from '../../../base/number/decimal.ts';
import type { Fill } from '../../../model/fill.ts';
import { sizeText, type Instrument } from '../../../model/instrument.ts';
import type { BotOrder } from '../../../orders/botOrder.ts';
import type { BotFillView } from '../../control/botView.ts';

/** Returns the view of a fill of `order`. `names`: how people know the order, its strategy and the trade. */
export function fillView(
  { instrument, side }: BotOrder,
  { lots, price, fee, feeInBase, timeMs }: Fill,
  names: Pick<BotFillView, 'tradeId' | 'cid' | 'strategy'>,
): BotFillView {
  return {
    ...names,
    instrument: instrument.id,
    side,
    qty: fromScaled(lots, instrument.quantityDigits),
    price: fromScaled(price, instrument.priceDigits),
    fee: fromScaled(fee, feeInBase ? instrument.baseDigits : instrument.quoteDigits),
    feeCoin: feeInBase ? instrument.base : instrument.quote,
    timeMs,
  };
}

/** Returns a fill as a sentence. */
export function fillText({ side, qty, price, fee, feeCoin }: BotFillView, instrument: Instrument): string {
  return `${side === 'buy' ? 'bought' : 'sold'} ${sizeText(qty, instrument)} at ${price}, fee ${fee} ${feeCoin}`;
}
