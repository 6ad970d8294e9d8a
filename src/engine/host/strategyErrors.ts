// Errors that name the strategy and the bar at fault, and errors for impossible reports of the exchange.

import { ConfigError, InvariantError, StrategyError } from '../../base/errors.ts';
import type { OrderId } from '../../model/order.ts';

/** Returns the error to show for what the strategy `name` threw. Errors that already name their cause stay as they are. */
export function attributedError(error: unknown, name: string, when: string): Error {
  if (error instanceof ConfigError || error instanceof InvariantError) return error;
  if (error instanceof StrategyError) return new StrategyError(`${error.message}, ${when}`, error.remedy, error.cause);
  return new StrategyError(`${name} threw ${when}: ${thrownText(error)}`, 'the stack trace shows the line of the strategy', error);
}

/** Returns the text of a thrown value. Any value can be thrown, even one that throws when it is converted to text. */
export function thrownText(thrown: unknown): string {
  try {
    return thrown instanceof Error ? thrown.message : String(thrown);
  } catch {
    return `a value of type ${typeof thrown} that has no text`;
  }
}

/** Throws StrategyError if a callback has returned a promise: the engine would never await it. */
export function rejectPromise(name: string, returned: unknown, callback: string): void {
  if (typeof returned !== 'object' || returned === null || !('then' in returned)) return;
  throw new StrategyError(`${name}: ${callback} returned a promise`, 'make it synchronous: nothing in a strategy may wait');
}

/** Throws InvariantError, because a report of the exchange about an order that is not open cannot be booked. */
export function throwUnknownOrder(id: OrderId): never {
  throw new InvariantError(`the exchange reports about order ${id}, which is not open`);
}
