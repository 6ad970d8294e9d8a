// Asks a model of the author: what goes wrong in it is told of the model.

import { StrategyError } from '../../base/errors.ts';
import { thrownText } from '../../engine/host/strategyErrors.ts';

/** What the author's function says, whatever that is. Throws StrategyError that names the model, not the strategy that happens to run. */
export function callModel<Asked extends readonly unknown[]>(model: string, ask: (...asked: Asked) => unknown, ...asked: Asked): unknown {
  try {
    return ask(...asked);
  } catch (error) {
    throw new StrategyError(`${model} threw: ${thrownText(error)}`, 'the stack shows the line', error);
  }
}

/** An answer that cannot be used, in words. */
export function describeAnswer(answer: unknown): string {
  if (typeof answer === 'string') return `'${answer}'`;
  if (typeof answer === 'object' && answer !== null) return 'then' in answer ? 'a promise: models are synchronous' : 'an object';
  if (typeof answer === 'function' || typeof answer === 'symbol' || typeof answer === 'bigint') return `a ${typeof answer}`;
  return String(answer);
}
