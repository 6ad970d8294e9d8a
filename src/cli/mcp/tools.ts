// The tools of the server. Each tool runs one command of isobar, with the arguments that make sense without a terminal.

import { ConfigError } from '../../base/errors.ts';
import { nearestName } from '../../base/number/nearestName.ts';

/** The type of an argument of a tool. */
export type ArgumentKind = 'text' | 'number' | 'flag' | 'list';

/** An argument of a tool. */
export interface ToolArgument {
  readonly kind: ArgumentKind;
  readonly help: string;
  readonly isNeeded?: boolean;
  /** True for a positional argument; false for an option. */
  readonly isWord?: boolean;
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

const text = (help: string): ToolArgument => ({ kind: 'text', help });
const number = (help: string): ToolArgument => ({ kind: 'number', help });
const flag = (help: string): ToolArgument => ({ kind: 'flag', help });
const list = (help: string): ToolArgument => ({ kind: 'list', help });
const required = (argument: ToolArgument): ToolArgument => ({ ...argument, isNeeded: true });
const positional = (argument: ToolArgument): ToolArgument => ({ ...argument, isWord: true });

/** The arguments that name a run, and change it. */
const RUN = {
  what: required(positional(text('a run definition (.yaml), or a strategy file (.ts) with data and cash'))),
  set: list('changes to the definition, such as params.fast=20 or fees.taker=0.0005'),
  data: text('for a strategy file: a CSV file of bars'),
  cash: text('for a strategy file: the starting cash in the quote asset'),
  symbol: text('for a strategy file: the symbol of the bars'),
  interval: text('for a strategy file: the interval of the bars'),
  params: list('for a strategy file: parameters, such as fast=20'),
};
const CATALOG = { catalog: text('the folder of the catalog; default data') };
const LEDGER = { ledger: text('the folder of the trial ledger') };
const BOT = {
  data: text('the data folder of the bot'),
  config: text('the config of the bot, which names its data folder'),
};
const WHY = { why: required(text('the reason, which is stored in the journal')) };
const SCOPE = { scope: positional(text('account, market:spot, symbol:spot:BTCUSDT or strategy:NAME')) };

const READ_ONLY = { isLive: false, isReadOnly: true };
const WRITING = { isLive: false, isReadOnly: false };
const LIVE = { isLive: true, isReadOnly: false };

/** The tools of the server. Each runs one command. */
export const TOOLS: readonly Tool[] = [
  {
    name: 'strategy_list',
    help: 'List the strategies of ./strategies and those of isobar',
    command: ['strategy', 'list'],
    args: {},
    ...READ_ONLY,
  },
  {
    name: 'strategy_describe',
    help: 'Parameters with range, unit and help; feeds; warm-up of a strategy file',
    command: ['strategy', 'show'],
    args: { file: required(positional(text('a strategy file'))) },
    ...READ_ONLY,
  },
  { name: 'data_list', help: 'What the catalog has', command: ['data', 'list'], args: CATALOG, ...READ_ONLY },
  {
    name: 'data_check',
    help: 'Check all bars and rewrite their gap manifests; exit code 1 when a file is damaged',
    command: ['data', 'check'],
    args: { symbol: text('one symbol'), interval: text('one interval'), market: text('spot or futures'), ...CATALOG },
    ...WRITING,
  },
  {
    name: 'data_import',
    help: 'Import files of bars, marks, funding rates, trades, or an external series, into the catalog',
    command: ['data', 'import'],
    args: {
      files: required(positional(list('files or patterns'))),
      symbol: text('the symbol; default from the file name'),
      interval: text('the interval; default from the file name'),
      market: text('spot or futures'),
      as: text('bars, mark, funding, trades or series'),
      name: text('of a series: its name'),
      time: text('of a series: the column of the times of the values'),
      'known-at': text('of a series: the column of the times at which the values became known'),
      value: text('of a series: the column of the values'),
      format: text('csv, binance, cryptodatadownload, json, feather or parquet'),
      instrument: text('a JSON file with the instrument record'),
      'skip-bad': flag('set bad rows aside instead of ending with the first'),
      ...CATALOG,
    },
    ...WRITING,
  },
  {
    name: 'data_generate',
    help: 'Make seeded synthetic bars, labelled synthetic',
    command: ['data', 'generate'],
    args: {
      symbol: required(text('one symbol or several: SYNUSDT,TWOUSDT')),
      interval: required(text('such as 15m')),
      from: required(text('the time of the first bar, such as 2024-01-01')),
      bars: required(number('the number of bars')),
      seed: number('a whole number from 0'),
      price: text('the price at the start'),
      market: text('spot or futures'),
      ...CATALOG,
    },
    ...WRITING,
  },
  {
    name: 'backtest',
    help: 'Run a strategy over bars; writes a run folder with a report, and gives its summary',
    command: ['backtest'],
    args: {
      ...RUN,
      out: text('the folder under which the run folder is made'),
      report: flag('write report.html'),
      'break-even': flag('also find the costs at which no profit is left'),
      family: text('a name that separates its trials from unrelated work'),
      ...LEDGER,
    },
    ...WRITING,
  },
  {
    name: 'sweep',
    help: 'Run a strategy with many parameter sets, rank them, and correct the best one for selection bias',
    command: ['sweep'],
    args: {
      definition: required(positional(text('a run definition (.yaml)'))),
      grid: required(list('values of a parameter, such as fast=5..50:5')),
      random: number('the number of sets that are drawn from the grid'),
      by: text('the figure that ranks the sets'),
      workers: number('threads'),
      fresh: flag('run all sets again, also those that the ledger has'),
      set: RUN.set,
      out: text('the folder under which the run folder is made'),
      family: text('a name that separates its trials from unrelated work'),
      ...LEDGER,
    },
    ...WRITING,
  },
  {
    name: 'prove',
    help: 'Prove that a strategy reads no future and keeps no hidden state. Exit code 0 proved, 3 refuted, 4 not proved',
    command: ['prove'],
    args: { ...RUN, times: number('random times, 200 by default'), quick: flag('only 20 of them'), ...LEDGER },
    ...WRITING,
  },
  {
    name: 'why',
    help: 'Explain why a run or a bot traded at a bar, or did not: values, conditions, risk, matching',
    command: ['why'],
    args: {
      folder: required(positional(text('a run folder, or the data folder of a bot'))),
      at: text('a UTC time inside the bar'),
      symbol: text('the symbol of the bar'),
      order: number('the number of an order, in place of a time'),
      config: text('for a bot: the config that it ran with'),
    },
    ...READ_ONLY,
  },
  {
    name: 'breakeven',
    help: 'Find the fee, slippage, latency and size at which no profit is left',
    command: ['breakeven'],
    args: RUN,
    ...READ_ONLY,
  },
  {
    name: 'report',
    help: 'The summary of a finished run, or a comparison of two',
    command: ['report'],
    args: {
      run: required(positional(text('a run folder'))),
      other: positional(text('a second run folder, to compare with the first')),
      as: text('figures by the definitions of quantstats, empyrical, backtesting.py, vectorbt, freqtrade or nautilus'),
      out: text('the folder for the page of a comparison'),
    },
    ...WRITING,
  },
  {
    name: 'verify',
    help: 'Repeat a finished run and compare the results. Exit code 0 identical, 3 different',
    command: ['verify'],
    args: { run: required(positional(text('a run folder'))) },
    ...READ_ONLY,
  },
  {
    name: 'parity',
    help: 'Compare a bot with a backtest of its time: first difference, cause, bridge of money. Exit code 0 equal, 3 different',
    command: ['parity'],
    args: {
      folder: required(positional(text('the data folder of a bot'))),
      config: text('the config that the bot ran with'),
      latency: text('latency of the backtest: ms, or measured'),
    },
    ...READ_ONLY,
  },
  {
    name: 'status',
    help: 'A running bot: states and causes, equity, orders, limits, health',
    command: ['status'],
    args: BOT,
    ...READ_ONLY,
  },
  { name: 'positions', help: 'The positions of a running bot', command: ['positions'], args: BOT, ...READ_ONLY },
  {
    name: 'halt',
    help: 'Stop new risk on a running bot; orders that reduce still leave',
    command: ['halt'],
    args: { ...SCOPE, 'cancel-only': flag('also stop orders that reduce a position'), ...WHY, ...BOT },
    ...LIVE,
  },
  {
    name: 'resume',
    help: 'Clear a cause that stops a bot',
    command: ['resume'],
    args: { ...SCOPE, code: text('the cause, as status shows it'), ...WHY, ...BOT },
    ...LIVE,
  },
  { name: 'acknowledge', help: 'Acknowledge the alarms of a running bot', command: ['acknowledge'], args: BOT, ...LIVE },
  {
    name: 'tighten',
    help: 'Tighten a risk limit of a running bot until its next start',
    command: ['tighten'],
    args: {
      limit: required(positional(text('a limit under risk: of the config'))),
      value: required(positional(text('its new value'))),
      ...WHY,
      ...BOT,
    },
    ...LIVE,
  },
  {
    name: 'kill',
    help: 'Stop a bot permanently: cancel everything, prove it, and close its positions if asked',
    command: ['kill'],
    args: {
      flatten: flag('also close all positions'),
      all: flag('also cancel foreign orders on this account'),
      separate: flag('do not ask the bot, because it hangs'),
      ...WHY,
      ...BOT,
    },
    ...LIVE,
  },
];

/** Returns a tool as `tools/list` describes it. */
export function toolSchema({ name, help, args, isLive, isReadOnly }: Tool): object {
  const entries = Object.entries(args);
  const requiredNames = entries.filter(([, { isNeeded }]) => isNeeded === true).map(([key]) => key);
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

const SCHEMAS: Readonly<Record<ArgumentKind, object>> = {
  text: { type: 'string' },
  number: { type: 'integer', minimum: 0 },
  flag: { type: 'boolean' },
  list: { type: 'array', items: { type: 'string' }, minItems: 1 },
};

/** Returns the words of the command line for a call. Throws a ConfigError that names the invalid argument. */
export function commandWords(tool: Tool, args: Readonly<Record<string, unknown>>): readonly string[] {
  checkNames(tool, args);
  const words: string[] = [];
  const options: string[] = [];
  for (const [name, argument] of Object.entries(tool.args)) {
    const value = Object.hasOwn(args, name) ? args[name] : undefined;
    if (value === undefined) {
      if (argument.isNeeded === true) throw new ConfigError(`${tool.name}: expected ${name}, got nothing`, argument.help);
      continue;
    }
    const texts = argumentTexts(`${tool.name}: ${name}`, argument, value);
    if (argument.isWord === true) words.push(...texts.map(asWord));
    else if (argument.kind === 'flag') options.push(value === true ? `--${name}` : `--no-${name}`);
    else options.push(...texts.map((each) => `--${name}=${each}`));
  }
  return [...tool.command, ...words, ...options, '--json'];
}

/** Throws a ConfigError for an argument that the tool does not have. */
function checkNames(tool: Tool, args: Readonly<Record<string, unknown>>): void {
  const names = Object.keys(tool.args);
  for (const name of Object.keys(args)) {
    if (names.includes(name)) continue;
    const nearest = nearestName(name, names);
    throw new ConfigError(
      `${tool.name}: unknown argument ${name.slice(0, 80)}`,
      nearest === null ? `the arguments are ${names.join(', ') || 'none'}` : `did you mean ${nearest}?`,
    );
  }
}

/** Returns a positional argument. Puts `./` before a leading dash, because the command would read the argument as an option. */
const asWord = (value: string): string => (value.startsWith('-') ? `./${value}` : value);

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
    `${place}: expected ${expected}, got ${(JSON.stringify(actual) ?? 'nothing').slice(0, 80)}`,
    'tools/list has the types',
  );
}
