// Options of `isobar sweep` and `isobar sweep-worker`. Their code is loaded when one runs.

import type { Argv } from 'yargs';
import { BAR_TIMEOUT_OPTION } from '../options/barTimeout.ts';
import { FAMILY_OPTION } from '../options/family.ts';
import { TEXT_OPTION } from '../options/textOption.ts';

/** Settings of an option that may be repeated. */
const NO_VALUES: readonly string[] = [];
const LIST_OPTION = { type: 'string', array: true, requiresArg: true, default: NO_VALUES } as const;
/** Options of both commands: how sets run on a machine. */
const THREAD_OPTIONS = {
  workers: { ...TEXT_OPTION, describe: 'Number of threads; default: one for each core' },
  'bar-timeout': { ...BAR_TIMEOUT_OPTION, describe: 'Seconds without progress after which a set is given up; 0 never gives up' },
  memory: { ...TEXT_OPTION, describe: 'Memory in MiB for the equity of sets that run together; default: 64 for each thread' },
} as const;
const CATALOG_OPTION = { ...TEXT_OPTION, describe: 'Catalog in place of the one that the definition names' } as const;

/** Adds the options of `isobar sweep`. */
const sweepOptions = (args: Argv) =>
  args
    .positional('definition', { type: 'string', demandOption: true, describe: 'A run definition (.yaml)' })
    .options({
      grid: {
        ...LIST_OPTION,
        describe:
          'Values of a parameter: --grid fast=5..50:5 --grid mode=long,both; of several strategies: --grid SmaCross.fast=5..50:5; repeat it for each',
      },
      random: { ...TEXT_OPTION, describe: 'Number of sets to draw from the grid, by the seed of the definition' },
      by: { ...TEXT_OPTION, default: 'sharpe', describe: 'Figure that ranks the sets' },
      ...THREAD_OPTIONS,
      resume: { type: 'boolean', default: false, describe: 'Resume an interrupted sweep' },
      fresh: { type: 'boolean', default: false, describe: 'Run all sets again, also those that the ledger has' },
      set: { ...LIST_OPTION, describe: 'Change a key of the definition: --set fees.taker=0.0005' },
      out: { ...TEXT_OPTION, default: 'runs', describe: 'Folder under which the run folder is made' },
      family: FAMILY_OPTION,
      ledger: { ...TEXT_OPTION, describe: 'Folder of the trial ledger; default: ledger, beside the catalog' },
      json: { type: 'boolean', default: false, describe: 'Print sweep.json alone on stdout' },
      quiet: { type: 'boolean', default: false, describe: 'Print only the path of the run folder' },
    })
    .options({
      queue: { ...TEXT_OPTION, describe: 'Share the sets with other machines: redis://host:6379' },
      work: { type: 'boolean', default: true, describe: 'Run sets on this machine too; --no-work leaves all sets to other machines' },
    })
    .group(['queue', 'work'], 'Many machines:')
    .example('$0 sweep backtests/smaCross.yaml --grid fast=5..50:5 --grid slow=20..200:20', '100 sets, ranked by Sharpe')
    .example('$0 sweep my.yaml --grid bars=10..500 --grid width=1..4:0.05 --random 500', '500 sets of 29 951');

/** Adds the options of `isobar sweep-worker`. */
const workerOptions = (args: Argv) =>
  args.options({
    queue: { ...TEXT_OPTION, demandOption: true, describe: 'Redis of the sweep: redis://host:6379' },
    catalog: CATALOG_OPTION,
    ...THREAD_OPTIONS,
    once: { type: 'boolean', default: false, describe: 'End with the first sweep, or at once if no sweep is queued' },
  });

/** Returns the parser with the commands `sweep` and `sweep-worker`. */
export function addSweepCommand(yargs: Argv): Argv {
  return yargs
    .command(
      'sweep <definition>',
      'Run a strategy with many parameter sets, rank them, and correct for selection bias',
      sweepOptions,
      async (args) => (await import('./action.ts')).sweep(args),
    )
    .command('sweep-worker', 'Run sets of sweeps that other machines share by --queue', workerOptions, async (args) =>
      (await import('./workerAction.ts')).sweepWorker(args),
    );
}
