// Asks a model of the author: what goes wrong in it is told of the model.

import { StrategyError } from '../../base/errors.ts';

/** What the author's function says, whatever that is. Throws StrategyError that names the model, not the strategy that happens to run. */
export function answerOf<Asked extends readonly unknown[]>(model: string, ask: (...asked: Asked) => unknown, ...asked: Asked): unknown {
  try {
    return ask(...asked);
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error);
    throw new StrategyError(`${model} threw: ${what}`, 'the stack shows the line', error);
  }
}
