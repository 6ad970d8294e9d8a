// Implements `isobar sweep`: checks the options, runs the parameter sets, and prints the best sets and the path of the report.

import { join } from 'node:path';
import { runSweep, type SweepStart, type SweepRun } from '../../tasks/sweep/runSweep.ts';
import { finishSweep, setCommand, writeSweepFolder, type FinishedSweep } from '../../tasks/sweep/sweepFolder.ts';
import { SHARED_PARALLEL, openSharedRunner } from '../../tasks/sweep/distributedSweep.ts';
import { threadRunner, type ThreadOptions } from '../../tasks/sweep/threads/threadRunner.ts';
import { rankingFigure, setUpSweep, type SweepRequest, type SweepSetup } from '../../tasks/sweep/plan/setUp.ts';
import { displayPath } from '../../definition/text/paths.ts';
import { checkOutFolder } from '../../adapters/disk/folders/checkOutFolder.ts';
import { ConfigError } from '../../base/errors.ts';
import { shellWord } from '../../base/text/shellWord.ts';
import { wholeText, counted } from '../../base/text/format.ts';
import { sweepTable } from '../../report/sweep/terminal.ts';
import { wantsColour } from '../../report/terminal/lines.ts';
import { checkRedisUrl } from '../../tasks/sweep/queue/queueClient.ts';
import type { TaskRunner } from '../../tasks/sweep/search/sweep.ts';
import { print, printError } from '../terminal/print.ts';
import { progressLine } from '../terminal/progressLine.ts';
import { stopOnSignal } from '../terminal/stopOnSignal.ts';
import { familyOf } from '../options/family.ts';
import { wholeNumber } from '../options/values.ts';
import { threadOptions } from './threadOptions.ts';

/** The options of `isobar sweep` as yargs parses them. */
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

/** Runs `isobar sweep`. After a signal, it prints the command that resumes the sweep. */
export async function sweep(args: SweepArgs): Promise<void> {
  // Invalid options must fail before bars are loaded.
  const rankedBy = rankingFigure(args.by);
  const sweepStart = sweepStartOf(args);
  const request = requestOf(args);
  checkQueueOptions(args);
  checkOutFolder('--out', args.out);
  if (args.ledger !== undefined) checkOutFolder('--ledger', args.ledger);
  const setup = await setUpSweep(request, args.ledger ?? null);
  if (args.ledger === undefined) checkOutFolder('--ledger', setup.ledgerFolder);
  const threads = threadOptions(args, setup.sets.length);
  // While this thread loads strategy files, a signal must end the process. So it handles signals only from here on.
  const stop = stopOnSignal();
  const progress = new SweepProgress(setup, args.quiet);
  progress.write(sizeText(setup, threads.threads));
  try {
    const run = await runSweep(setup, {
      start: sweepStart,
      parallel: args.queue === undefined ? threads.threads : SHARED_PARALLEL,
      openRunner: () => openRunner(setup, args, threads),
      onOpen: (setsFromLedger) => progress.begin(setsFromLedger),
      onProgress: (doneSets) => progress.show(doneSets),
      signal: stop.signal,
    });
    progress.clear();
    await writeResult(finishSweep(run, rankedBy), args, (text) => progress.write(text));
  } catch (error) {
    progress.clear();
    if (!stop.signal.aborted) throw error;
    progress.write(`Stopped: ${progress.doneText} are in the ledger. Resume with: ${resumeCommand()}`);
    process.exitCode = stop.code();
  } finally {
    stop.release();
  }
}

/** Returns what the options ask for. Throws ConfigError for an invalid option. */
function requestOf(args: SweepArgs): SweepRequest {
  // This call only checks the options: `sweep` computes the number of threads when the number of sets is known.
  threadOptions(args);
  const random = wholeNumber('--random', args.random, Number.MAX_SAFE_INTEGER);
  return { definition: args.definition, settings: args.set, grid: args.grid, random, family: familyOf(args.family) };
}

/** Throws ConfigError for options that contradict each other, or for an invalid address of the queue. */
function checkQueueOptions({ work, queue }: SweepArgs): void {
  if (!work && queue === undefined)
    throw new ConfigError(
      '--no-work: expected only with --queue',
      'add --queue, or remove --no-work: without a queue this machine does all the work',
    );
  if (queue !== undefined) checkRedisUrl(queue);
}

/** Shows on stderr how many sets are done. */
class SweepProgress {
  readonly #line = progressLine('sets');
  readonly #name: string;
  readonly #setCount: number;
  readonly #isQuiet: boolean;
  #setsFromLedger = 0;
  #doneSets = 0;

  constructor({ header, sets }: SweepSetup, isQuiet: boolean) {
    this.#name = header.name;
    this.#setCount = sets.length;
    this.#isQuiet = isQuiet;
  }

  /** The sets that have a result, such as `40 of 100 sets`. */
  get doneText(): string {
    return `${wholeText(this.#doneSets)} of ${counted(this.#setCount, 'set')}`;
  }

  /** Notes the sets whose results an earlier run has left in the ledger. */
  begin(setsFromLedger: number): void {
    this.#setsFromLedger = setsFromLedger;
    this.#doneSets = setsFromLedger;
    if (setsFromLedger > 0) this.write(`${counted(setsFromLedger, 'set')} already in the ledger.`);
  }

  /** Shows the progress. `doneSets` includes the sets from the ledger. */
  show(doneSets: number): void {
    this.#doneSets = doneSets;
    const setsToRun = this.#setCount - this.#setsFromLedger;
    const ranSets = doneSets - this.#setsFromLedger;
    if (!this.#isQuiet) this.#line.show(`${this.#name} sweep`, ranSets, setsToRun === 0 ? 1 : ranSets / setsToRun);
  }

  /** Writes a line of text in place of the progress line. */
  write(text: string): void {
    this.clear();
    if (!this.#isQuiet) printError(text);
  }

  /** Removes the progress line. */
  clear(): void {
    this.#line.clear();
  }
}

/** Returns the runner of this machine, or with `--queue` one that shares the sets with other machines. */
async function openRunner(setup: SweepSetup, { queue, work }: SweepArgs, threads: ThreadOptions): Promise<TaskRunner> {
  if (queue === undefined) return threadRunner(setup, threads);
  return openSharedRunner(setup, { url: queue, threads: work ? threads : { ...threads, threads: 0 } });
}

/** Writes the run folder, and prints the best sets. */
async function writeResult(finished: FinishedSweep, args: SweepArgs, write: (text: string) => void): Promise<void> {
  const { folder, summary } = await writeSweepFolder(args.out, finished);
  const { record, findings, run } = finished;
  const table = sweepTable(record, findings, {
    colour: wantsColour(args.json ? process.stderr : process.stdout, process.env),
    report: displayPath(join(process.cwd(), folder, 'report.html')),
    command: bestCommand(run, finished),
  });
  if (args.json) {
    write(table);
    process.stdout.write(summary);
  } else print(args.quiet ? folder : table);
}

/**
 * Returns the command that runs the set in the middle of the plateau: the set that is best on average with its neighbours. Without a plateau
 * it runs the best set.
 */
function bestCommand(run: SweepRun, { record, findings }: FinishedSweep): string {
  return setCommand(run, record, findings.plateau ?? findings.best);
}

/** Returns the size of the sweep as text. */
function sizeText({ sets, gridSize, axes }: SweepSetup, threads: number): string {
  const axesText = axes.map(({ name, values }) => `${name} ${wholeText(values.length)}`).join(' × ');
  const drawnText = sets.length < gridSize ? `, drawn from ${wholeText(gridSize)}` : '';
  return `${counted(sets.length, 'set')} (${axesText}${drawnText}) on ${counted(threads, 'thread')}.`;
}

/** Returns how the sweep treats the sets in the ledger. Throws ConfigError for contradictory options. */
function sweepStartOf({ resume, fresh }: SweepArgs): SweepStart {
  if (resume && fresh) throw new ConfigError('--resume: expected not to be given with --fresh', 'remove one of them');
  if (resume) return 'resume';
  return fresh ? 'fresh' : 'new';
}

/** Returns the command line that resumes the sweep. */
function resumeCommand(): string {
  const words = process.argv.slice(2).filter((word) => word !== '--fresh' && word !== '--resume');
  return `isobar ${[...words, '--resume'].map(shellWord).join(' ')}`;
}
