// Reads the option `stopEntry` of an order: the price, worse than the present one, at which the order is sent.

import type { Ticks } from '../../base/brand.ts';
import { StrategyError } from '../../base/errors.ts';
import type { BotOrder } from '../../orders/botOrder.ts';
import { scaleAmount } from '../../strategy/amounts.ts';
import type { OrderOptions } from '../../strategy/types.ts';

// hot: docs/performance.md#file-constants
const NAN = NaN;

/** Deny code: the trigger of a stop entry is not on the side of the market for which it waits. */
const ENTRY_SIDE = 'ENTRY_SIDE';

/**
 * Writes the trigger of an order. What is not a price makes the order invalid: `triggerTicks` is NaN then, and risk denies it. A price on
 * the wrong side of `lastTicks` is noted as the order's code, and the order is denied with it.
 */
export function writeStopEntry(order: BotOrder, options: OrderOptions, lastTicks: number, name: string): void {
  checkOptions(options, name);
  const { instrument, sign } = order;
  const isBuy = sign > 0;
  const ticks = scaleAmount(options.stopEntry!, instrument.priceDigits, isBuy ? 'down' : 'up');
  order.triggerTicks = (ticks > 0 ? ticks : NAN) as Ticks;
  order.triggersAbove = isBuy;
  // At the exchange of a contract it is a trigger order that may open.
  if (instrument.contract !== undefined) order.role = 'condition';
  if ((ticks - lastTicks) * sign <= 0) order.code = ENTRY_SIDE;
}

function checkOptions({ trigger, timeInForce, reduceOnly }: OrderOptions, name: string): void {
  if (trigger !== undefined)
    throw new StrategyError(
      `${name}: an order with a stopEntry and a trigger`,
      'leave one: stopEntry opens or adds, trigger may also close a position',
    );
  if (timeInForce !== undefined)
    throw new StrategyError(
      `${name}: an order with a stopEntry and a time in force`,
      'leave timeInForce out: the order waits for its price',
    );
  if (reduceOnly === true)
    throw new StrategyError(
      `${name}: an order with a stopEntry that is reduceOnly`,
      'a stop that closes is a stopLoss, or on futures a trigger',
    );
}
