// The parts of the benchmark by name, and what its command line asks for. Read before anything is built or measured.

/** What each part measures. Without a name all of them run, except `peers`, `symbols` and `long`. */
export const BENCH_PARTS = {
  loop: 'the loop over 5 M bars, both forms beside C, and the first run of a process',
  orders: 'what an order adds to a run, and a run after 500,000 finished orders',
  feeds: 'a row with eight feeds, with two intervals, and with an undeclared indicator',
  cliffs: 'strategies that leave the common path, beside C (about 4 minutes)',
  pairs: 'twenty series over two feeds, beside C',
  futures: 'contracts beside spot',
  sweep: 'a sweep of 200 sets',
  rest: 'orders through the client of the exchange',
  live: 'a live bot, from the close of a bar to the bytes of an order',
  service: 'the paper exchange under load',
  whole: 'the whole command and isobar/run, in fresh processes',
  symbols: 'many symbols of a live bot; not among all',
  peers: 'other libraries beside isobar; not among all',
  long: '100,000,000 bars, or as many as its value, read block by block; not among all',
};

/** The name of a part of the benchmark. */
export type BenchPart = keyof typeof BENCH_PARTS;

/** What the command line asks for. */
export interface BenchArguments {
  /** The named parts in the order of the list. Empty: all. */
  readonly parts: readonly BenchPart[];
  /** True to print the figures as JSON. */
  readonly isJson: boolean;
  /** True to measure on this Node and on Node 24. */
  readonly isOnBothNodes: boolean;
  /** True to print the usage only. */
  readonly isHelp: boolean;
  /** Bars of the part `long`. */
  readonly longRows: number;
}

/** The help text of the command. */
export const USAGE = `Measures the built package (npm run build). All parts take about ten minutes.

  npm run bench -- [PART...] [--json] [--both]

${Object.entries(BENCH_PARTS)
  .map(([name, description]) => `  ${name.padEnd(9)}${description}`)
  .join('\n')}

  --json   figures as JSON
  --both   on this Node and on Node 24, which is installed once
  --help   this text
`;

const PART_NAMES = Object.keys(BENCH_PARTS) as BenchPart[];
/** Bars of the part `long` without a number on the command line. */
const LONG_ROWS = 100_000_000;

/** Reads the command line. A part may be written with two hyphens in front. Throws Error for an unknown word. */
export function readArguments(words: readonly string[]): BenchArguments {
  const partNames = new Set<string>();
  let isJson = false;
  let isOnBothNodes = false;
  let isHelp = false;
  let longRows = LONG_ROWS;
  for (const [index, word] of words.entries()) {
    const name = word.replace(/^--/, '');
    if (Object.hasOwn(BENCH_PARTS, name)) partNames.add(name);
    else if (word === '--help' || word === '-h') isHelp = true;
    else if (word === '--json') isJson = true;
    else if (word === '--both') isOnBothNodes = true;
    // A number is the value of the part `long` if it follows that word.
    else if (/^\d+$/.test(word) && /^(?:--)?long$/.test(words[index - 1] ?? '')) longRows = Number(word);
    else throw new Error(`'${word}' is no part of the benchmark`);
  }
  return { parts: PART_NAMES.filter((name) => partNames.has(name)), isJson, isOnBothNodes, isHelp, longRows };
}

/** Returns true for the arguments of a process that the benchmark itself starts. */
export function isOwnProcess([first = '']: readonly string[]): boolean {
  return /^--(?:[a-z]+-)?part$/.test(first);
}
