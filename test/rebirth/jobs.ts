// Runs the comparison of killed and unkilled bots for a list of strategies, several at a time, and prints each result as a line of JSON.
// The programs of test/rebirth and test/drawn use it.

import type { Rebirths } from './runs.ts';

/** Prints a line to stderr, for a person. stdout has only JSON. */
export const notify = (line: string): void => void process.stderr.write(`${line}\n`);

/**
 * Runs the lifetimes of all strategies, `jobCount` strategies at once. `rebirthsAt` gets the position of the strategy. Returns the exit code: 1
 * if a killed bot differs from the bot without kills, or if a strategy ends with an error.
 */
export async function printRebirths<T extends { readonly name: string }>(
  strategies: readonly T[],
  jobCount: number,
  rebirthsOf: (strategy: T, index: number) => Promise<Rebirths>,
): Promise<number> {
  const waitingStrategies = [...strategies.entries()];
  let areAllEqual = true;
  /** Runs one strategy after the other until all have been started. */
  const runJob = async (): Promise<void> => {
    for (;;) {
      const nextStrategy = waitingStrategies.shift();
      if (nextStrategy === undefined) return;
      const [index, strategy] = nextStrategy;
      try {
        const rebirths = await rebirthsOf(strategy, index);
        areAllEqual &&= rebirths.equalToUnkilled;
        process.stdout.write(`${JSON.stringify(rebirths)}\n`);
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
