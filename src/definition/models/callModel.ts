// Calls the models of a user, so that an error names the model.

import { StrategyError } from '../../base/errors.ts';
import { thrownText } from '../../engine/host/strategyErrors.ts';

/** Returns the unchecked result of the user's function. Throws StrategyError that names the model instead of the running strategy. */
export function callModel<Args extends readonly unknown[]>(model: string, call: (...args: Args) => unknown, ...args: Args): unknown {
  try {
    return call(...args);
  } catch (error) {
    throw new StrategyError(`${model} threw: ${thrownText(error)}`, 'the stack shows the line', error);
  }
}

/** Returns a description of an unusable result, for messages. */
export function describeAnswer(answer: unknown): string {
  if (typeof answer === 'string') return `'${answer}'`;
  if (typeof answer === 'object' && answer !== null) return 'then' in answer ? 'a promise: models are synchronous' : 'an object';
  if (typeof answer === 'function' || typeof answer === 'symbol' || typeof answer === 'bigint') return `a ${typeof answer}`;
  return String(answer);
}
