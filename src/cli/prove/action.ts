// Implements `isobar prove`: runs the proofs in a worker thread, shows progress, and prints the verdict.

import { ConfigError, EXIT } from '../../base/errors.ts';
import { checkOutFolder } from '../../adapters/disk/folders/checkOutFolder.ts';
import { watchProve } from '../../tasks/prove/thread/watchProve.ts';
import { wantsColour } from '../../report/terminal/lines.ts';
import { barTimeoutMs } from '../options/barTimeout.ts';
import { print, printJson } from '../terminal/print.ts';
import { progressLine } from '../terminal/progressLine.ts';
import { stopOnSignal } from '../terminal/stopOnSignal.ts';
import { proveText } from './proveText.ts';
import { runRequestOf, type RunRequestArgs } from '../options/runRequest.ts';

/** Options of `isobar prove`. */
interface ProveArgs extends Omit<RunRequestArgs, 'demo'> {
  readonly times: string;
  readonly quick: boolean;
  readonly barTimeout: string;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly ledger?: string | undefined;
}

/** Number of cut-off times with `--quick`, and the largest number that `--times` accepts. */
const QUICK_CUTOFFS = 20;
const MAX_CUTOFFS = 100_000;

/** Runs `isobar prove`. The exit code is 0 for proved, 3 for refuted and 4 for not proved. */
export async function prove(args: ProveArgs): Promise<void> {
  const line = progressLine('proofs');
  const request = runRequestOf('prove', { ...args, demo: false });
  if (args.ledger !== undefined) checkOutFolder('--ledger', args.ledger);
  const proving = watchProve(request, {
    times: cutoffCountOf(args),
    ledger: args.ledger ?? null,
    barTimeoutMs: barTimeoutMs(args.barTimeout),
    onProgress: (strategy, proof, fraction) => {
      if (!args.quiet) line.show(`${strategy} ${proof ?? 'loading'}`, Math.floor(fraction * 100), fraction);
    },
  });
  const stop = stopOnSignal();
  stop.signal.addEventListener('abort', () => void proving.stop().finally(() => process.exit(stop.code())));
  try {
    const { verdict, storeFailure } = await proving.outcome;
    line.clear();
    if (storeFailure !== null && !args.quiet) process.stderr.write(`The verdict is not kept for later runs: ${storeFailure}\n`);
    if (args.json) printJson(verdict);
    else if (!args.quiet) print(proveText(verdict, wantsColour(process.stdout, process.env)));
    if (verdict.verdict !== 'proved') process.exitCode = verdict.verdict === 'refuted' ? EXIT.differs : EXIT.unknown;
  } finally {
    line.clear();
  }
}

/** Returns the number of random cut-off times. Throws ConfigError for an invalid number. */
function cutoffCountOf({ times, quick }: Pick<ProveArgs, 'times' | 'quick'>): number {
  const cutoffCount = Number(times);
  if (!/^\d+$/.test(times) || cutoffCount < 1 || cutoffCount > MAX_CUTOFFS)
    throw new ConfigError(`--times: expected a whole number from 1 to ${MAX_CUTOFFS}, got '${times}'`, 'pass for example --times 200');
  return quick ? Math.min(QUICK_CUTOFFS, cutoffCount) : cutoffCount;
}
