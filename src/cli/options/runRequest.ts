// Reads the options by which commands name a run: a definition, a strategy file with its bars, or the demo.

import type { RunRequest } from '../../definition/request.ts';
import { isPlainDecimal } from '../../base/number/decimalText.ts';
import { ConfigError } from '../../base/errors.ts';
import { shellWord } from '../../base/text/shellWord.ts';
import { TEXT_OPTION } from './textOption.ts';

const NO_VALUES: readonly string[] = [];
const LIST_OPTION = { type: 'string', array: true, requiresArg: true } as const;

/** The option that changes keys of a definition. */
export const SET_OPTION = {
  set: { ...LIST_OPTION, default: NO_VALUES, describe: 'Change a key of the definition: --set params.fast=20 --set fees.taker=0.0005' },
} as const;

/** The options that, with a strategy file, replace a definition. */
export const DATA_OPTIONS = {
  data: { ...TEXT_OPTION, describe: 'Bars for a strategy file: CSV, plain or gzip' },
  cash: { ...TEXT_OPTION, describe: 'Starting cash, in the quote asset of the bars' },
  symbol: { ...TEXT_OPTION, describe: 'Symbol of the bars; default: from the file name' },
  interval: { ...TEXT_OPTION, describe: 'Interval of the bars; default: from the file name' },
  params: { ...LIST_OPTION, default: NO_VALUES, describe: 'Parameter of the strategy: --params fast=20' },
} as const;

/** The options that select and change a run. */
export interface RunRequestArgs {
  /** A run definition or a strategy file. */
  readonly what?: string | undefined;
  readonly set: readonly string[];
  readonly demo: boolean;
  readonly data?: string | undefined;
  readonly cash?: string | undefined;
  readonly symbol?: string | undefined;
  readonly interval?: string | undefined;
  readonly params: readonly string[];
}

/** Commands with the option `--demo`. */
const DEMO_COMMANDS: ReadonlySet<string> = new Set(['backtest', 'breakeven']);

const isStrategyFile = (file: string): boolean => /\.[cm]?[jt]s$/.test(file);

/** The options that only apply to a strategy file with `--data`. Ignoring them elsewhere would mislead the user. */
type DataOption = 'cash' | 'symbol' | 'interval';

/** Returns the request of a command line of `isobar <command>`. Throws ConfigError when its options contradict each other. */
export function runRequestOf(command: string, args: RunRequestArgs): RunRequest {
  const settings = [...args.params.map((setting) => `params.${setting}`), ...args.set];
  const { what } = args;
  const dataOption = (['cash', 'symbol', 'interval'] as const).find((option) => args[option] !== undefined);
  if (args.demo) {
    checkDemo(args, dataOption);
    return { kind: 'demo', strategy: what ?? null, settings };
  }
  if (what === undefined)
    throw new ConfigError(
      `${command}: expected a run definition or a strategy file, got nothing`,
      command === 'backtest' ? 'try isobar backtest --demo' : `for example isobar ${command} backtests/smaCross.yaml`,
    );
  if (!isStrategyFile(what)) {
    checkDefinition(what, args, dataOption);
    return { kind: 'file', file: what, settings };
  }
  const { data, cash } = checkStrategyFile(command, what, args);
  return {
    kind: 'options',
    values: { strategy: what, cash },
    data: { files: [data], sets: [] },
    symbol: args.symbol,
    interval: args.interval,
    called: 'the command line',
    places: { strategy: 'the strategy file', feeds: '--data', cash: '--cash', interval: '--interval' },
    inCode: [],
    settings,
  };
}

/** Throws ConfigError for options that do not apply to the demo. */
function checkDemo({ what, data }: RunRequestArgs, dataOption: DataOption | undefined): void {
  if (data !== undefined) throw new ConfigError('--data: expected not to be given with --demo', 'remove one of them');
  if (dataOption !== undefined) throw new ConfigError(`--${dataOption}: expected not to be given with --demo`, `remove --${dataOption}`);
  if (what !== undefined && !isStrategyFile(what))
    throw new ConfigError(`--demo: expected a strategy file (.ts) or nothing with it, got ${what}`, 'leave --demo out to run a definition');
}

/** Throws ConfigError for options that do not apply to a definition. */
function checkDefinition(file: string, args: RunRequestArgs, dataOption: DataOption | undefined): void {
  if (args.data !== undefined)
    throw new ConfigError(
      `--data: expected a strategy file (.ts) with it, got ${file}`,
      'a definition names its bars by feeds and catalog',
    );
  if (dataOption !== undefined)
    throw new ConfigError(
      `--${dataOption}: expected a strategy file (.ts) with --data, got ${file}`,
      `a key of a definition is changed by --set: ${dataOption === 'cash' ? '--set cash.USDT=10000' : `--set feeds.bars.${dataOption}=${args[dataOption]}`}`,
    );
}

/** Returns the bars and the cash for a strategy file. Throws ConfigError if one of them is missing or invalid. */
function checkStrategyFile(
  command: string,
  file: string,
  { data, cash }: RunRequestArgs,
): { readonly data: string; readonly cash: string } {
  if (data === undefined)
    throw new ConfigError(
      `${file}: expected --data FILE with a strategy file`,
      `isobar ${command} ${shellWord(file)} --data BTCUSDT-1m.csv.gz --cash 10000${DEMO_COMMANDS.has(command) ? ', or --demo for synthetic bars' : ''}`,
    );
  if (cash === undefined)
    throw new ConfigError(`${file}: expected --cash AMOUNT with --data`, 'for example --cash 10000, in the quote asset of the bars');
  if (!isPlainDecimal(cash))
    throw new ConfigError(`--cash: expected a decimal (amount of the quote asset), got '${cash}'`, 'for example --cash 10000');
  return { data, cash };
}
