// What a strategy did wrong, as an error that names it and the bar; and what the exchange should not have said.

import { ConfigError, InvariantError, StrategyError } from '../../base/errors.ts';
import type { OrderId } from '../../model/order.ts';

/** The error to show for what was thrown while the strategy `name` was in charge. Errors that name their culprit stay as they are. */
export function attributedError(error: unknown, name: string, when: string): Error {
  if (error instanceof ConfigError || error instanceof InvariantError) return error;
  if (error instanceof StrategyError) return new StrategyError(`${error.message}, ${when}`, error.remedy, error.cause);
  return new StrategyError(`${name} threw ${when}: ${thrownText(error)}`, 'the stack shows the line of the strategy', error);
}

/** Anything can be thrown, even what throws when it is asked for its text. */
export function thrownText(thrown: unknown): string {
  try {
    return thrown instanceof Error ? thrown.message : String(thrown);
  } catch {
    return `a value of type ${typeof thrown} that has no text`;
  }
}

/** Throws StrategyError when a callback has returned a promise: nobody would ever wait for it. */
export function refusePromise(name: string, value: unknown, what: string): void {
  if (typeof value !== 'object' || value === null || !('then' in value)) return;
  throw new StrategyError(`${name}: ${what} returned a promise`, 'callbacks are synchronous: nothing in a strategy may wait');
}

/** What the exchange says of an order that is not open here cannot be booked. */
export function unknownOrderError(id: OrderId): never {
  throw new InvariantError(`the exchange speaks of order ${id}, which is not open`);
}
