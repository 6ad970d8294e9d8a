// The command line: knows the names of the commands; each imports its needs when it runs.

import { existsSync } from 'node:fs';
import yargs, { type Argv } from 'yargs';
import { packageVersion } from '../adapters/runtime/version.ts';
import { ConfigError } from '../base/errors.ts';
import { refuseKeysInArguments, withoutKeys } from '../access/keyLike.ts';
import { withApi } from './api/command.ts';
import { withBacktest } from './runs/backtest.ts';
import { COMPLETION_REQUEST, withCompletion } from './completion/command.ts';
import { dataCommand } from './data/command.ts';
import { doctorCommand } from './doctor/command.ts';
import { exchangeCommand } from './exchange/command.ts';
import { printFailure } from './terminal/failure.ts';
import { acknowledgeCommand, haltCommand, resumeCommand, tightenCommand } from './live/halt.ts';
import { withInit } from './project/init.ts';
import { journalCommand } from './journal/check.ts';
import { liveCommand } from './live/start.ts';
import { replayCommand } from './journal/replay.ts';
import { killCommand } from './live/kill.ts';
import { logsCommand } from './live/logs.ts';
import { ordersCommand } from './live/orders.ts';
import { withReport } from './runs/report.ts';
import { positionsCommand, statusCommand } from './live/status.ts';
import { withSweep } from './sweep/command.ts';
import { withVerify } from './runs/verify.ts';
import { isOption, usageError } from './usage.ts';

/** Options that may be given more than once. */
const LISTS = ['set', 'params', 'file', 'grid', 'parameters', '_'];

/** What yargs complains of, kept apart from errors that a command throws. */
class Complaint extends Error {}

function parser(argv: readonly string[]): Argv {
  const named = yargs([...argv])
    .scriptName('isobar')
    // Whatever language the terminal is set to: `usageError` reads what yargs says.
    .locale('en')
    .usage('$0 <command>\n\nBacktests of trading strategies that are TypeScript classes.');
  return (
    withCompletion(withApi(withReport(withVerify(withSweep(withBacktest(withInit(named)))))), argv)
      .command(dataCommand)
      .command(exchangeCommand)
      .command(doctorCommand)
      .command(journalCommand)
      .command(liveCommand)
      .command(replayCommand)
      .command(statusCommand)
      .command(ordersCommand)
      .command(positionsCommand)
      .command(logsCommand)
      .command(haltCommand)
      .command(resumeCommand)
      .command(acknowledgeCommand)
      .command(tightenCommand)
      .command(killCommand)
      .demandCommand(1, 'Name a command, such as backtest; isobar --help lists them')
      .strict()
      // A list takes one value an option (--set a=1 --set b=2), so that it never swallows the definition behind it.
      .parserConfiguration({ 'greedy-arrays': false, 'dot-notation': false })
      .check((args) => soundValues(args, argv), true)
      .version(packageVersion())
      .help()
      .wrap(Math.min(100, process.stdout.columns ?? 100))
      .exitProcess(false)
      .fail((message: string | null, error: Error | undefined) => {
        // yargs throws some of its complaints as YError and only tells others.
        throw error === undefined || error.name === 'YError' ? new Complaint(message ?? error?.message) : error;
      })
  );
}

/** yargs makes a list of an option that is given twice, whatever its type, '' of one without a value, and no of any flag that is not true. */
function soundValues(args: Readonly<Record<string, unknown>>, argv: readonly string[]): true {
  const twice = Object.keys(args).find((name) => Array.isArray(args[name]) && !LISTS.includes(name));
  if (twice !== undefined) throw new ConfigError(`--${twice}: expected one value, got several`, 'give the option once');
  const empty = Object.keys(args).find((name) => args[name] === '' && isOption(name, argv));
  if (empty !== undefined)
    throw new ConfigError(`--${empty}: expected a value, got nothing`, 'give one behind it, or leave the option out');
  for (const word of argv) {
    const [, name = '', value = ''] = /^--([^=]+)=(.*)$/s.exec(word) ?? [];
    if (typeof args[name] !== 'boolean' || value === 'true' || value === 'false') continue;
    throw new ConfigError(`--${name}: expected true or false, got ${JSON.stringify(value)}`, `write --${name} or --no-${name} alone`);
  }
  return true;
}

/** What is left behind -- is no option, and no file either: yargs would pass over it. */
function rejectArgsAfterDashes(argv: readonly string[]): void {
  const at = argv.indexOf('--');
  const behind = at < 0 || argv.some((word) => word.startsWith(COMPLETION_REQUEST)) ? [] : argv.slice(at + 1);
  if (behind.length === 0) return;
  throw new ConfigError(
    `--: expected nothing behind it, got ${withoutKeys(behind.join(' '))}`,
    'leave -- out; a file whose name begins with a dash is given as ./-name',
  );
}

/** The help of the command that `words` name, without printing it. */
async function helpOf(words: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    void parser([]).parse([...words, '--help'], (_error: unknown, _args: unknown, output: string) => resolve(output));
  });
}

/** A word in the wrong place may be a key, and messages end up in logs. What is on the disk is none, such as a run folder named by its time. */
async function complaintOf(complaint: Complaint, argv: readonly string[]): Promise<ConfigError> {
  const { message, remedy } = await usageError(complaint.message, argv, helpOf);
  const isPath = argv.some((word) => message.startsWith(`${word}: `) && existsSync(word));
  return new ConfigError(isPath ? message : withoutKeys(message), remedy);
}

/** Runs the command line `argv`; sets the exit code of the process. */
export async function main(argv: readonly string[]): Promise<void> {
  try {
    refuseKeysInArguments(argv);
    rejectArgsAfterDashes(argv);
    await parser(argv).parseAsync();
  } catch (error) {
    process.exitCode = printFailure(error instanceof Complaint ? await complaintOf(error, argv) : error);
  }
}
