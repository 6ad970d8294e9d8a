// The command line: registers all commands. Each command imports its code when it runs.

import { existsSync } from 'node:fs';
import yargs, { type Argv } from 'yargs';
import { packageVersion } from '../adapters/runtime/version.ts';
import { ConfigError } from '../base/errors.ts';
import { refuseKeysInArguments, withoutKeys } from '../access/keyLike.ts';
import { addApiCommand } from './api/command.ts';
import { addBacktestCommand } from './runs/backtest.ts';
import { breakevenCommand } from './runs/breakeven.ts';
import { COMPLETION_REQUEST, addCompletionCommand } from './completion/command.ts';
import { dataCommand } from './data/command.ts';
import { doctorCommand } from './doctor/command.ts';
import { exchangeCommand } from './exchange/command.ts';
import { printFailure } from './terminal/failure.ts';
import { acknowledgeCommand, haltCommand, resumeCommand, tightenCommand } from './live/halt.ts';
import { addInitCommand } from './project/init.ts';
import { journalCommand } from './journal/check.ts';
import { liveCommand } from './live/start.ts';
import { replayCommand } from './journal/replay.ts';
import { parityCommand } from './parity/command.ts';
import { simCommand } from './sim/command.ts';
import { killCommand } from './live/kill.ts';
import { mcpCommand } from './mcp/command.ts';
import { logsCommand } from './live/logs.ts';
import { ordersCommand } from './live/orders.ts';
import { addProveCommand } from './prove/command.ts';
import { addReportCommand } from './runs/report.ts';
import { positionsCommand, statusCommand } from './live/status.ts';
import { addSweepCommand } from './sweep/command.ts';
import { addVerifyCommand } from './runs/verify.ts';
import { addWhyCommand } from './why/command.ts';
import { isOption, usageError } from './usage.ts';

/** Options that a user may repeat. `_` holds the positional words. */
const REPEATABLE = ['set', 'params', 'file', 'grid', 'parameters', '_'];

/** An error that yargs reports about the command line. Errors that a command throws have other classes. */
class YargsError extends Error {}

/** Returns the parser of `argv` with all commands. */
function parser(argv: readonly string[]): Argv {
  const baseParser = yargs([...argv])
    .scriptName('isobar')
    // `usageError` parses the messages of yargs, so they must be in English on every system.
    .locale('en')
    .usage('$0 <command>\n\nBacktests of trading strategies that are TypeScript classes.');
  // The help lists the commands in this order.
  const addFirstCommands = [
    addInitCommand,
    addBacktestCommand,
    addSweepCommand,
    addProveCommand,
    addWhyCommand,
    addVerifyCommand,
    addReportCommand,
    addApiCommand,
  ];
  const firstCommands = addFirstCommands.reduce((commands, addCommand) => addCommand(commands), baseParser);
  return (
    addCompletionCommand(firstCommands, argv)
      .command(breakevenCommand)
      .command(dataCommand)
      .command(exchangeCommand)
      .command(doctorCommand)
      .command(journalCommand)
      .command(liveCommand)
      .command(replayCommand)
      .command(parityCommand)
      .command(simCommand)
      .command(mcpCommand)
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
      // A list option takes one value each time (--set a=1 --set b=2), so that it does not consume the definition after it.
      .parserConfiguration({ 'greedy-arrays': false, 'dot-notation': false })
      .check((args) => checkValues(args, argv), true)
      .version(packageVersion())
      .help()
      .wrap(Math.min(100, process.stdout.columns ?? 100))
      .exitProcess(false)
      .fail((message: string | null, error: Error | undefined) => {
        // yargs throws some of its errors as YError and passes others as a message only.
        throw error === undefined || error.name === 'YError' ? new YargsError(message ?? error?.message) : error;
      })
  );
}

/**
 * Returns true. Throws ConfigError for an invalid value that yargs accepts. yargs turns a repeated option into a list and a missing value
 * into ''. It turns any flag value except true into false.
 */
function checkValues(args: Readonly<Record<string, unknown>>, argv: readonly string[]): true {
  const repeated = Object.keys(args).find((name) => Array.isArray(args[name]) && !REPEATABLE.includes(name));
  if (repeated !== undefined) throw new ConfigError(`--${repeated}: expected one value, got several`, 'give the option only once');
  const empty = Object.keys(args).find((name) => args[name] === '' && isOption(name, argv));
  if (empty !== undefined)
    throw new ConfigError(`--${empty}: expected a value, got nothing`, 'write a value after it, or remove the option');
  checkWords(args, argv);
  for (const word of argv) {
    const [, name = '', value = ''] = /^--([^=]+)=(.*)$/s.exec(word) ?? [];
    if (typeof args[name] !== 'boolean' || value === 'true' || value === 'false') continue;
    throw new ConfigError(`--${name}: expected true or false, got ${JSON.stringify(value)}`, `write --${name} or --no-${name} alone`);
  }
  return true;
}

/**
 * Throws ConfigError for an empty word and for a dash alone, unless an option has it as its value. As a path an empty text would mean the
 * current folder, and yargs gives commands an empty text for a dash.
 */
function checkWords(args: Readonly<Record<string, unknown>>, argv: readonly string[]): void {
  const isValue = (index: number) => {
    const [, option] = /^--([^=]+)$/.exec(argv[index - 1] ?? '') ?? [];
    // yargs notes `--no-report` as `report`.
    const isFlag = (name: string) => typeof args[name] === 'boolean';
    return option !== undefined && !isFlag(option) && !isFlag(option.replace(/^no-/, ''));
  };
  const word = argv.find((each, index) => (each === '' || each === '-') && !isValue(index));
  if (word === '') throw new ConfigError("'': expected a name or a path, got an empty text", 'write a name or a path, or leave it out');
  if (word === '-') throw new ConfigError('-: expected a name or a path, got a dash', 'isobar reads no file from stdin; name a file');
}

/** Throws ConfigError for words after `--`, which yargs would ignore. */
function rejectArgsAfterDashes(argv: readonly string[]): void {
  const dashesIndex = argv.indexOf('--');
  const isCompletion = argv.some((word) => word.startsWith(COMPLETION_REQUEST));
  const extraWords = dashesIndex < 0 || isCompletion ? [] : argv.slice(dashesIndex + 1);
  if (extraWords.length === 0) return;
  throw new ConfigError(
    `--: expected nothing after it, got ${withoutKeys(extraWords.join(' '))}`,
    'remove --; write a file name that starts with a dash as ./-name',
  );
}

/** Returns the help of the command that `words` name, without printing it. */
async function helpOf(words: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    void parser([]).parse([...words, '--help'], (_error: unknown, _args: unknown, output: string) => resolve(output));
  });
}

/**
 * Returns the error for the user, without words that look like keys, because messages end up in logs. The path of an existing file stays,
 * because a run folder with a time in its name can look like a key.
 */
async function errorForUser(yargsError: YargsError, argv: readonly string[]): Promise<ConfigError> {
  const { message, remedy } = await usageError(yargsError.message, argv, helpOf);
  const isPath = argv.some((word) => message.startsWith(`${word}: `) && existsSync(word));
  return new ConfigError(isPath ? message : withoutKeys(message), remedy);
}

/** Runs the command line `argv` and sets the exit code of the process. */
export async function main(argv: readonly string[]): Promise<void> {
  try {
    refuseKeysInArguments(argv);
    rejectArgsAfterDashes(argv);
    await parser(argv).parseAsync();
  } catch (error) {
    process.exitCode = printFailure(error instanceof YargsError ? await errorForUser(error, argv) : error);
  }
}
