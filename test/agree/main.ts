// Serves `npm run agree`: compares the trades and the equity of an SMA cross in isobar with those in backtesting.py and vectorbt on the
// same seeded bars. Prints a table or JSON.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { compareBooks, type Book, type BookComparison } from './books.ts';
import { caseOf, runOwn, type AgreeMarket, type AgreeCase, type OwnRun } from './cases.ts';
import { ToolsUnavailable, pythonWithTools } from './environment.ts';

declare const ROOT: string;

/** Options of the command line, as text. */
export interface Options {
  readonly json?: boolean;
  /** Number of seeds, from 1 on; default 10. */
  readonly seeds?: string;
  /** Bars of each seed; default 3,000. */
  readonly bars?: string;
}

const TOOLS = ['backtesting.py', 'vectorbt'] as const;
type Tool = (typeof TOOLS)[number];
const MARKETS: readonly AgreeMarket[] = ['spot', 'futures'];

/** Returns the exit code: 0 when all trades and all equity are equal, 1 when some are not, 2 when the tools cannot run. */
export async function main({ json = false, seeds = '10', bars = '3000' }: Options): Promise<number> {
  const report = (line: string) => process.stderr.write(`${line}\n`);
  try {
    const python = pythonWithTools(ROOT, report);
    const cases = MARKETS.flatMap((market) => Array.from({ length: Number(seeds) }, (_, index) => caseOf(market, index + 1, Number(bars))));
    report(`${cases.length} runs of ${bars} bars in isobar, ${TOOLS.join(' and ')}`);
    const runs: OwnRun[] = [];
    for (const agreeCase of cases) runs.push(await runOwn(agreeCase));
    const toolBooks = runTools(
      python,
      cases.map((agreeCase, index) => ({ ...agreeCase, ...runs[index]!.columns })),
    );
    const rows = cases.flatMap((agreeCase, index) =>
      TOOLS.map((tool) => ({ agreeCase, tool, compared: compareBooks(runs[index]!.book, toolBooks[index]![tool]) })),
    );
    process.stdout.write(`${json ? JSON.stringify(rows.map(jsonOf), null, 2) : textOf(rows)}\n`);
    return rows.every(({ compared }) => compared.equal) ? 0 : 1;
  } catch (error) {
    if (!(error instanceof ToolsUnavailable)) throw error;
    process.stderr.write(`${error.message}\n  ${error.remedy}\n`);
    return 2;
  }
}

/** Runs all cases in the other tools, and returns their books. */
function runTools(python: string, cases: readonly object[]): readonly Readonly<Record<Tool, Book>>[] {
  const script = join(ROOT, 'test', 'agree', 'tools.py');
  const { status, stdout } = spawnSync(python, [script], {
    input: JSON.stringify(cases),
    encoding: 'utf8',
    maxBuffer: 2 ** 30,
    // No progress bars of the tools.
    env: { ...process.env, TQDM_DISABLE: '1' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  if (status === 0) return JSON.parse(stdout) as readonly Readonly<Record<Tool, Book>>[];
  throw new ToolsUnavailable(
    'the tools ended with an error',
    'look at the message above; remove .isobar-cache/agree to make their environment again',
  );
}

/** The comparison of one case with one tool. */
interface ResultRow {
  readonly agreeCase: AgreeCase;
  readonly tool: Tool;
  readonly compared: BookComparison;
}

/** Returns the row that `--json` prints for a comparison. */
function jsonOf({ agreeCase: { market, seed, fast, slow, size, fee }, tool, compared }: ResultRow) {
  return { market, seed, fast, slow, size, fee, tool, ...compared };
}

const HEADERS = ['market', 'tool', 'seed', 'averages', 'size', 'fee', 'trades', 'max apart', ''];
/** Columns of words, which are aligned to the left. */
const TEXT_COLUMNS = new Set([0, 1, HEADERS.length - 1]);

/** Returns the results as a table. */
function textOf(rows: readonly ResultRow[]): string {
  const cells = rows.map(({ agreeCase: { market, seed, fast, slow, size, fee }, tool, compared }) => [
    market,
    tool,
    String(seed),
    `${fast}/${slow}`,
    String(size),
    String(fee),
    String(compared.trades),
    compared.maxApart.toExponential(1),
    compared.equal ? 'equal' : `unequal: ${compared.first}`,
  ]);
  const unequal = rows.filter(({ compared }) => !compared.equal).length;
  const verdict = unequal === 0 ? `all ${rows.length} equal` : `${unequal} of ${rows.length} unequal`;
  return [...alignedLines([HEADERS, ...cells]), verdict].join('\n');
}

/** Returns rows as lines with aligned cells. */
function alignedLines(rows: readonly (readonly string[])[]): string[] {
  const widths = HEADERS.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const cell = (text: string, column: number) => (TEXT_COLUMNS.has(column) ? text.padEnd(widths[column]!) : text.padStart(widths[column]!));
  return rows.map((row) => row.map(cell).join('  ').trimEnd());
}
