// Runs the lifetimes of several strategies, some at once, and prints the result of each as a line of JSON.

import type { Rebirths } from './runs.ts';

/** Prints a line for a person. */
export const notify = (line: string): void => void process.stderr.write(`${line}\n`);

/**
 * Takes one strategy after the other until none is left, `jobCount` of them at once. `rebirthsAt` gets the position of the strategy. Returns the exit
 * code: 1 if a killed bot differs from the bot without kills, or if a strategy ends with an error.
 */
export async function printRebirths<T extends { readonly name: string }>(
  strategies: readonly T[],
  jobCount: number,
  rebirthsAt: (strategy: T, index: number) => Promise<Rebirths>,
): Promise<number> {
  const waiting = [...strategies.entries()];
  let areAllEqual = true;
  const runJob = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, strategy] = next;
      try {
        const result = await rebirthsAt(strategy, index);
        areAllEqual &&= result.equalToUnkilled;
        process.stdout.write(`${JSON.stringify(result)}\n`);
      } catch (error) {
        areAllEqual = false;
        notify(`${strategy.name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
        const noCounts = { kills: 0, droppedSends: 0, orders: 0, fills: 0 };
        process.stdout.write(`${JSON.stringify({ strategy: strategy.name, ...noCounts, equalToUnkilled: false })}\n`);
      }
    }
  };
  await Promise.all(Array.from({ length: jobCount }, runJob));
  return areAllEqual ? 0 : 1;
}
