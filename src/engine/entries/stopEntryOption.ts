// Reads the option `stopEntry` of an order: a price worse than the last one, at which the order is sent.

import type { Ticks } from '../../base/brand.ts';
import { StrategyError } from '../../base/errors.ts';
import type { BotOrder } from '../../orders/botOrder.ts';
import { scaleAmount } from '../../strategy/amounts.ts';
import type { OrderOptions } from '../../strategy/types.ts';

// hot: docs/performance.md#file-constants
const NAN = NaN;

/** Deny code: the trigger of a stop entry lies on the wrong side of the last price. */
const WRONG_SIDE_CODE = 'ENTRY_SIDE';

/**
 * Writes the trigger of an order. A value that is not a price makes `triggerTicks` NaN, so that risk denies the order. For a price on the
 * wrong side of `lastTicks` it sets the order's code, with which the order is denied.
 */
export function writeStopEntry(order: BotOrder, options: OrderOptions, lastTicks: number, strategyName: string): void {
  checkOptions(options, strategyName);
  const { instrument, sign } = order;
  const isBuy = sign > 0;
  const triggerTicks = scaleAmount(options.stopEntry!, instrument.priceDigits, isBuy ? 'down' : 'up');
  order.triggerTicks = (triggerTicks > 0 ? triggerTicks : NAN) as Ticks;
  order.triggersAbove = isBuy;
  // On futures the exchange watches it, as a trigger order that may open a position.
  if (instrument.contract !== undefined) order.role = 'condition';
  if ((triggerTicks - lastTicks) * sign <= 0) order.code = WRONG_SIDE_CODE;
}

/** Throws StrategyError for options that a stop entry cannot have. */
function checkOptions({ trigger, timeInForce, reduceOnly }: OrderOptions, strategyName: string): void {
  if (trigger !== undefined)
    throw new StrategyError(
      `${strategyName}: an order with a stopEntry and a trigger`,
      'remove one of them: stopEntry opens or adds to a position, trigger may also close one',
    );
  if (timeInForce !== undefined)
    throw new StrategyError(
      `${strategyName}: an order with a stopEntry and a time in force`,
      'remove timeInForce: the order waits for its price',
    );
  if (reduceOnly === true)
    throw new StrategyError(
      `${strategyName}: an order with a stopEntry that is reduceOnly`,
      'to close a position use a stopLoss, or on futures a trigger',
    );
}
