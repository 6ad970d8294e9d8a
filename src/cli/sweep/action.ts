// Implements `isobar sweep`: checks the options, runs the sets with progress on stderr, and prints the best sets and the report path.

import { join } from 'node:path';
import { runSweep, type SweepStart, type SweepRun } from '../../tasks/sweep/runSweep.ts';
import { finishSweep, setCommand, writeSweepFolder, type FinishedSweep } from '../../tasks/sweep/folder.ts';
import { SHARED_PARALLEL, openSharedRunner } from '../../tasks/sweep/distributedSweep.ts';
import { threadRunner, type ThreadOptions } from '../../tasks/sweep/threads/threads.ts';
import { rankingFigure, setUpSweep, type SweepSetup } from '../../tasks/sweep/plan/setUp.ts';
import { displayPath } from '../../definition/text/paths.ts';
import { checkOutFolder } from '../../adapters/disk/folders/out.ts';
import { ConfigError } from '../../base/errors.ts';
import { shellWord } from '../../base/text/shellWord.ts';
import { count, counted } from '../../base/text/format.ts';
import { sweepTable } from '../../report/sweep/terminal.ts';
import { wantsColour } from '../../report/terminal/lines.ts';
import { checkUrl } from '../../tasks/sweep/queue/queueClient.ts';
import type { TaskRunner } from '../../tasks/sweep/search/sweep.ts';
import { print, printError } from '../terminal/print.ts';
import { progressLine } from '../terminal/progressLine.ts';
import { stopOnSignal } from '../terminal/stopOnSignal.ts';
import { familyOf } from '../options/family.ts';
import { wholeNumber } from '../options/values.ts';
import { threadOptions } from './options.ts';

interface SweepArgs {
  readonly definition: string;
  readonly grid: readonly string[];
  readonly random?: string | undefined;
  readonly by: string;
  readonly workers?: string | undefined;
  readonly memory?: string | undefined;
  readonly barTimeout: string;
  readonly resume: boolean;
  readonly fresh: boolean;
  readonly set: readonly string[];
  readonly out: string;
  readonly family?: string | undefined;
  readonly ledger?: string | undefined;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly queue?: string | undefined;
  readonly work: boolean;
}

export async function sweep(args: SweepArgs): Promise<void> {
  const by = rankingFigure(args.by);
  // Checks the options before bars are loaded. The useful number of threads is known only afterwards.
  threadOptions(args);
  const random = wholeNumber('--random', args.random, Number.MAX_SAFE_INTEGER);
  const start = sweepStartOf(args);
  if (!args.work && args.queue === undefined)
    throw new ConfigError(
      '--no-work: expected only with --queue',
      'add --queue, or remove --no-work: without a queue this machine does all the work',
    );
  if (args.queue !== undefined) checkUrl(args.queue);
  checkOutFolder('--out', args.out);
  if (args.ledger !== undefined) checkOutFolder('--ledger', args.ledger);
  const family = familyOf(args.family);
  const setup = await setUpSweep({ definition: args.definition, settings: args.set, grid: args.grid, random, family }, args.ledger ?? null);
  if (args.ledger === undefined) checkOutFolder('--ledger', setup.ledgerFolder);
  const threads = threadOptions(args, setup.sets.length);
  // The handler is installed after strategy files were loaded in this thread, because a signal must end the process until then.
  const stop = stopOnSignal();
  const line = progressLine('sets');
  const write = (text: string) => {
    line.clear();
    if (!args.quiet) printError(text);
  };
  write(announcement(setup, threads.threads));
  let [done, before] = [0, 0];
  try {
    const run = await runSweep(setup, {
      start,
      parallel: args.queue === undefined ? threads.threads : SHARED_PARALLEL,
      openRunner: () => openRunner(setup, args, threads),
      onOpen: (ready) => {
        before = done = ready;
        if (ready > 0) write(`${counted(ready, 'set')} already in the ledger.`);
      },
      onProgress: (now) => {
        done = now;
        const left = setup.sets.length - before;
        if (!args.quiet) line.show(`${setup.header.name} sweep`, now - before, left === 0 ? 1 : (now - before) / left);
      },
      signal: stop.signal,
    });
    line.clear();
    await printProgressLine(finishSweep(run, by), args, write);
  } catch (error) {
    line.clear();
    if (!stop.signal.aborted) throw error;
    write(`Stopped: ${count(done)} of ${counted(setup.sets.length, 'set')} are in the ledger. Resume with: ${resumeCommand()}`);
    process.exitCode = stop.code();
  } finally {
    stop.release();
  }
}

async function openRunner(setup: SweepSetup, { queue, work }: SweepArgs, threads: ThreadOptions): Promise<TaskRunner> {
  if (queue === undefined) return threadRunner(setup, threads);
  return openSharedRunner(setup, { url: queue, threads: work ? threads : { ...threads, threads: 0 } });
}

async function printProgressLine(sweepDone: FinishedSweep, args: SweepArgs, write: (text: string) => void): Promise<void> {
  const { folder, summary } = await writeSweepFolder(args.out, sweepDone);
  const { record, findings, run } = sweepDone;
  const table = sweepTable(record, findings, {
    colour: wantsColour(args.json ? process.stderr : process.stdout, process.env),
    report: displayPath(join(process.cwd(), folder, 'report.html')),
    command: bestCommand(run, sweepDone),
  });
  if (args.json) {
    write(table);
    process.stdout.write(summary);
  } else print(args.quiet ? folder : table);
}

/** Returns the command of the plateau's set, which a reader should look at first, or of the best set when there is no plateau. */
function bestCommand(run: SweepRun, { record, findings }: FinishedSweep): string {
  return setCommand(run, record, findings.plateau ?? findings.best);
}

function announcement({ sets, gridSize, axes }: SweepSetup, threads: number): string {
  const shape = axes.map(({ name, values }) => `${name} ${count(values.length)}`).join(' × ');
  const drawn = sets.length < gridSize ? `, drawn from ${count(gridSize)}` : '';
  return `${counted(sets.length, 'set')} (${shape}${drawn}) on ${counted(threads, 'thread')}.`;
}

function sweepStartOf({ resume, fresh }: SweepArgs): SweepStart {
  if (resume && fresh) throw new ConfigError('--resume: expected not to be given with --fresh', 'remove one of them');
  return resume ? 'resume' : fresh ? 'fresh' : 'new';
}

/** Returns the command line that resumes the sweep. */
function resumeCommand(): string {
  const words = process.argv.slice(2).filter((word) => word !== '--fresh' && word !== '--resume');
  return `isobar ${[...words, '--resume'].map(shellWord).join(' ')}`;
}
