// The tools of the MCP server (`isobar mcp`). Each tool runs one command of isobar, with the arguments that make sense without a terminal.

import { appendAll } from '../../base/memory/appendAll.ts';
import { ConfigError } from '../../base/errors.ts';
import { nearestName } from '../../base/number/nearestName.ts';

/** The type of an argument of a tool. */
export type ArgumentKind = 'text' | 'number' | 'flag' | 'list';

/** An argument of a tool. */
export interface ToolArgument {
  readonly kind: ArgumentKind;
  readonly help: string;
  readonly isRequired?: boolean;
  /** True for a positional argument; false for an option. */
  readonly isPositional?: boolean;
}

/** A command that the client can call. */
export interface Tool {
  readonly name: string;
  readonly help: string;
  readonly command: readonly string[];
  readonly args: Readonly<Record<string, ToolArgument>>;
  /** True when the tool acts on a running bot. */
  readonly isLive: boolean;
  /** True when the tool writes nothing. */
  readonly isReadOnly: boolean;
}

const textArgument = (help: string): ToolArgument => ({ kind: 'text', help });
const numberArgument = (help: string): ToolArgument => ({ kind: 'number', help });
const flagArgument = (help: string): ToolArgument => ({ kind: 'flag', help });
const listArgument = (help: string): ToolArgument => ({ kind: 'list', help });
const required = (argument: ToolArgument): ToolArgument => ({ ...argument, isRequired: true });
const positional = (argument: ToolArgument): ToolArgument => ({ ...argument, isPositional: true });

/** The arguments that name a run, and change it. */
const RUN_ARGS = {
  what: required(positional(textArgument('a run definition (.yaml), or a strategy file (.ts) with data and cash'))),
  set: listArgument('changes to the definition, such as params.fast=20 or fees.taker=0.0005'),
  data: textArgument('for a strategy file: a CSV file of bars'),
  cash: textArgument('for a strategy file: the starting cash in the quote asset'),
  symbol: textArgument('for a strategy file: the symbol of the bars'),
  interval: textArgument('for a strategy file: the interval of the bars'),
  params: listArgument('for a strategy file: parameters, such as fast=20'),
};
const CATALOG_ARGS = { catalog: textArgument('the folder of the catalog; default data') };
const LEDGER_ARGS = { ledger: textArgument('the folder of the trial ledger') };
const BOT_ARGS = {
  data: textArgument('the data folder of the bot'),
  config: textArgument('the config of the bot, which names its data folder'),
};
const REASON_ARGS = { why: required(textArgument('the reason, which is stored in the journal')) };
const SCOPE_ARGS = { scope: positional(textArgument('account, market:spot, symbol:spot:BTCUSDT or strategy:NAME')) };

/** What a tool acts on. */
const READS_ONLY = { isLive: false, isReadOnly: true };
const WRITES_FILES = { isLive: false, isReadOnly: false };
const ACTS_ON_BOT = { isLive: true, isReadOnly: false };

/** The tools of the server. Each runs one command. */
export const TOOLS: readonly Tool[] = [
  {
    name: 'strategy_list',
    help: 'List the strategies of ./strategies and those of isobar',
    command: ['strategy', 'list'],
    args: {},
    ...READS_ONLY,
  },
  {
    name: 'strategy_describe',
    help: 'Parameters with range, unit and help; feeds; warm-up of a strategy file',
    command: ['strategy', 'show'],
    args: { file: required(positional(textArgument('a strategy file'))) },
    ...READS_ONLY,
  },
  { name: 'data_list', help: 'What the catalog has', command: ['data', 'list'], args: CATALOG_ARGS, ...READS_ONLY },
  {
    name: 'data_check',
    help: 'Check all bars and rewrite their gap manifests; exit code 1 when a file is damaged',
    command: ['data', 'check'],
    args: {
      symbol: textArgument('one symbol'),
      interval: textArgument('one interval'),
      market: textArgument('spot or futures'),
      ...CATALOG_ARGS,
    },
    ...WRITES_FILES,
  },
  {
    name: 'data_import',
    help: 'Import files of bars, marks, funding rates, trades, or an external series, into the catalog',
    command: ['data', 'import'],
    args: {
      files: required(positional(listArgument('files or patterns'))),
      symbol: textArgument('the symbol; default from the file name'),
      interval: textArgument('the interval; default from the file name'),
      market: textArgument('spot or futures'),
      as: textArgument('bars, mark, funding, trades or series'),
      name: textArgument('of a series: its name'),
      time: textArgument('of a series: the column of the times of the values'),
      'known-at': textArgument('of a series: the column of the times at which the values became known'),
      value: textArgument('of a series: the column of the values'),
      format: textArgument('csv, binance, cryptodatadownload, json, feather or parquet'),
      instrument: textArgument('a JSON file with the instrument record'),
      'skip-bad': flagArgument('set bad rows aside instead of ending with the first'),
      ...CATALOG_ARGS,
    },
    ...WRITES_FILES,
  },
  {
    name: 'data_generate',
    help: 'Make seeded synthetic bars, labelled synthetic',
    command: ['data', 'generate'],
    args: {
      symbol: required(textArgument('one symbol or several: SYNUSDT,TWOUSDT')),
      interval: required(textArgument('such as 15m')),
      from: required(textArgument('the time of the first bar, such as 2024-01-01')),
      bars: required(numberArgument('the number of bars')),
      seed: numberArgument('a whole number from 0'),
      price: textArgument('the price at the start'),
      market: textArgument('spot or futures'),
      ...CATALOG_ARGS,
    },
    ...WRITES_FILES,
  },
  {
    name: 'backtest',
    help: 'Run a strategy over bars; writes a run folder with a report, and gives its summary',
    command: ['backtest'],
    args: {
      ...RUN_ARGS,
      out: textArgument('the folder under which the run folder is made'),
      report: flagArgument('write report.html'),
      'break-even': flagArgument('also find the costs at which no profit is left'),
      family: textArgument('a name that separates its trials from unrelated work'),
      ...LEDGER_ARGS,
    },
    ...WRITES_FILES,
  },
  {
    name: 'sweep',
    help: 'Run a strategy with many parameter sets, rank them, and correct the best one for selection bias',
    command: ['sweep'],
    args: {
      definition: required(positional(textArgument('a run definition (.yaml)'))),
      grid: required(listArgument('values of a parameter, such as fast=5..50:5')),
      random: numberArgument('the number of sets that are drawn from the grid'),
      by: textArgument('the figure that ranks the sets'),
      workers: numberArgument('threads'),
      fresh: flagArgument('run all sets again, also those that the ledger has'),
      set: RUN_ARGS.set,
      out: textArgument('the folder under which the run folder is made'),
      family: textArgument('a name that separates its trials from unrelated work'),
      ...LEDGER_ARGS,
    },
    ...WRITES_FILES,
  },
  {
    name: 'prove',
    help: 'Prove that a strategy reads no future and keeps no hidden state. Exit code 0 proved, 3 refuted, 4 not proved',
    command: ['prove'],
    args: { ...RUN_ARGS, times: numberArgument('random times, 200 by default'), quick: flagArgument('only 20 of them'), ...LEDGER_ARGS },
    ...WRITES_FILES,
  },
  {
    name: 'why',
    help: 'Explain why a run or a bot traded at a bar, or did not: values, conditions, risk, matching',
    command: ['why'],
    args: {
      folder: required(positional(textArgument('a run folder, or the data folder of a bot'))),
      at: textArgument('a UTC time inside the bar'),
      symbol: textArgument('the symbol of the bar'),
      order: numberArgument('the number of an order, in place of a time'),
      config: textArgument('for a bot: the config that it ran with'),
    },
    ...READS_ONLY,
  },
  {
    name: 'breakeven',
    help: 'Find the fee, slippage, latency and size at which no profit is left',
    command: ['breakeven'],
    args: RUN_ARGS,
    ...READS_ONLY,
  },
  {
    name: 'report',
    help: 'The summary of a finished run, or a comparison of two',
    command: ['report'],
    args: {
      run: required(positional(textArgument('a run folder'))),
      other: positional(textArgument('a second run folder, to compare with the first')),
      as: textArgument('figures by the definitions of quantstats, empyrical, backtesting.py, vectorbt, freqtrade or nautilus'),
      out: textArgument('the folder for the page of a comparison'),
    },
    ...WRITES_FILES,
  },
  {
    name: 'verify',
    help: 'Repeat a finished run and compare the results. Exit code 0 identical, 3 different',
    command: ['verify'],
    args: { run: required(positional(textArgument('a run folder'))) },
    ...READS_ONLY,
  },
  {
    name: 'parity',
    help: 'Compare a bot with a backtest of its time: first difference, cause, bridge of money. Exit code 0 equal, 3 different',
    command: ['parity'],
    args: {
      folder: required(positional(textArgument('the data folder of a bot'))),
      config: textArgument('the config that the bot ran with'),
      latency: textArgument('latency of the backtest: ms, or measured'),
    },
    ...READS_ONLY,
  },
  {
    name: 'status',
    help: 'A running bot: states and causes, equity, orders, limits, health',
    command: ['status'],
    args: BOT_ARGS,
    ...READS_ONLY,
  },
  { name: 'positions', help: 'The positions of a running bot', command: ['positions'], args: BOT_ARGS, ...READS_ONLY },
  {
    name: 'halt',
    help: 'Stop new risk on a running bot; orders that reduce still leave',
    command: ['halt'],
    args: { ...SCOPE_ARGS, 'cancel-only': flagArgument('also stop orders that reduce a position'), ...REASON_ARGS, ...BOT_ARGS },
    ...ACTS_ON_BOT,
  },
  {
    name: 'resume',
    help: 'Clear a cause that stops a bot',
    command: ['resume'],
    args: { ...SCOPE_ARGS, code: textArgument('the cause, as status shows it'), ...REASON_ARGS, ...BOT_ARGS },
    ...ACTS_ON_BOT,
  },
  { name: 'acknowledge', help: 'Acknowledge the alarms of a running bot', command: ['acknowledge'], args: BOT_ARGS, ...ACTS_ON_BOT },
  {
    name: 'tighten',
    help: 'Tighten a risk limit of a running bot until its next start',
    command: ['tighten'],
    args: {
      limit: required(positional(textArgument('a limit under risk: of the config'))),
      value: required(positional(textArgument('its new value'))),
      ...REASON_ARGS,
      ...BOT_ARGS,
    },
    ...ACTS_ON_BOT,
  },
  {
    name: 'kill',
    help: 'Stop a bot permanently: cancel everything, prove it, and close its positions if asked',
    command: ['kill'],
    args: {
      flatten: flagArgument('also close all positions'),
      all: flagArgument('also cancel foreign orders on this account'),
      separate: flagArgument('do not ask the bot, because it hangs'),
      ...REASON_ARGS,
      ...BOT_ARGS,
    },
    ...ACTS_ON_BOT,
  },
];

/** The JSON schema of each type of argument. */
const SCHEMAS: Readonly<Record<ArgumentKind, object>> = {
  text: { type: 'string' },
  number: { type: 'integer', minimum: 0 },
  flag: { type: 'boolean' },
  list: { type: 'array', items: { type: 'string' }, minItems: 1 },
};

/** Returns a tool as `tools/list` describes it. */
export function toolSchema({ name, help, args, isLive, isReadOnly }: Tool): object {
  const entries = Object.entries(args);
  const requiredNames = entries.filter(([, { isRequired }]) => isRequired === true).map(([key]) => key);
  return {
    name,
    description: help,
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(entries.map(([key, { kind, help: description }]) => [key, { ...SCHEMAS[kind], description }])),
      ...(requiredNames.length > 0 ? { required: requiredNames } : {}),
      additionalProperties: false,
    },
    annotations: { readOnlyHint: isReadOnly, destructiveHint: isLive, openWorldHint: isLive },
  };
}

/** Returns the words of the command line for a call. Throws a ConfigError that names the invalid argument. */
export function commandWords(tool: Tool, args: Readonly<Record<string, unknown>>): readonly string[] {
  checkNames(tool, args);
  const words: string[] = [];
  const options: string[] = [];
  for (const [name, argument] of Object.entries(tool.args)) {
    const value = Object.hasOwn(args, name) ? args[name] : undefined;
    if (value === undefined) {
      if (argument.isRequired === true) throw new ConfigError(`${tool.name}: expected ${name}, got nothing`, argument.help);
      continue;
    }
    const texts = argumentTexts(`${tool.name}: ${name}`, argument, value);
    if (argument.isPositional === true) appendAll(words, texts.map(positionalWord));
    else if (argument.kind === 'flag') options.push(value === true ? `--${name}` : `--no-${name}`);
    else for (const text of texts) options.push(`--${name}=${text}`);
  }
  return [...tool.command, ...words, ...options, '--json'];
}

/** Maximum length of a text of the client in a message, in characters. */
const MAX_SHOWN_LENGTH = 80;

/** Throws a ConfigError for an argument that the tool does not have. */
function checkNames(tool: Tool, args: Readonly<Record<string, unknown>>): void {
  const names = Object.keys(tool.args);
  for (const name of Object.keys(args)) {
    if (names.includes(name)) continue;
    const nearest = nearestName(name, names);
    throw new ConfigError(
      `${tool.name}: unknown argument ${name.slice(0, MAX_SHOWN_LENGTH)}`,
      nearest === null ? `the arguments are ${names.join(', ') || 'none'}` : `did you mean ${nearest}?`,
    );
  }
}

/** Returns a positional argument. Puts `./` before a leading dash, because the command would read the argument as an option. */
const positionalWord = (value: string): string => (value.startsWith('-') ? `./${value}` : value);

/** Returns the texts of an argument. Empty for a flag. Throws ConfigError for a value of another kind. */
function argumentTexts(place: string, { kind }: ToolArgument, value: unknown): readonly string[] {
  if (kind === 'flag') {
    if (typeof value !== 'boolean') throw wrongKind(place, 'true or false', value);
    return [];
  }
  if (kind === 'number') {
    if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) throw wrongKind(place, 'a whole number from 0', value);
    return [String(value)];
  }
  if (kind === 'text') {
    if (!isText(value)) throw wrongKind(place, 'a text', value);
    return [value];
  }
  if (!Array.isArray(value) || value.length === 0 || !value.every(isText)) throw wrongKind(place, 'a list of texts', value);
  return value;
}

/** True for a text that can be a word of a command line. */
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '' && !value.includes('\0');

/** Returns the error for an argument of the wrong type. */
function wrongKind(place: string, expected: string, actual: unknown): ConfigError {
  return new ConfigError(
    `${place}: expected ${expected}, got ${(JSON.stringify(actual) ?? 'nothing').slice(0, MAX_SHOWN_LENGTH)}`,
    'tools/list has the types',
  );
}
