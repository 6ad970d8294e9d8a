// Calls a user-defined model. Errors are attributed to the model.

import { StrategyError } from '../../base/errors.ts';
import { thrownText } from '../../engine/host/strategyErrors.ts';

/** Returns what the user's function returns, unchecked. Throws StrategyError that names the model, not the strategy that is running. */
export function callModel<Asked extends readonly unknown[]>(model: string, ask: (...asked: Asked) => unknown, ...asked: Asked): unknown {
  try {
    return ask(...asked);
  } catch (error) {
    throw new StrategyError(`${model} threw: ${thrownText(error)}`, 'the stack shows the line', error);
  }
}

/** Describes an unusable result of a model. */
export function describeAnswer(answer: unknown): string {
  if (typeof answer === 'string') return `'${answer}'`;
  if (typeof answer === 'object' && answer !== null) return 'then' in answer ? 'a promise: models are synchronous' : 'an object';
  if (typeof answer === 'function' || typeof answer === 'symbol' || typeof answer === 'bigint') return `a ${typeof answer}`;
  return String(answer);
}
