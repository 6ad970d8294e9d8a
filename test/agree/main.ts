// The trades and the equity of an SMA cross in isobar, backtesting.py and vectorbt on the same seeded bars, as a table or as JSON.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { crossedDown, crossedUp, int, sma, Strategy } from '../../src/index.ts';
import { backtest, generateBars, type Bars } from '../../src/run.ts';
import { compareBooks, type Book, type BookComparison } from './books.ts';
import { NoTools, pythonWithTools } from './environment.ts';

declare const ROOT: string;

export interface Options {
  readonly json?: boolean;
  /** Number of seeds, from 1 on; default 10. */
  readonly seeds?: string;
  /** Bars of each seed; default 3,000. */
  readonly bars?: string;
}

class Cross extends Strategy.with({ fast: int(10, { min: 2 }), slow: int(30, { min: 3 }) }) {
  fast = this.use(sma(this.bars.close, this.params.fast));
  slow = this.use(sma(this.bars.close, this.params.slow));
  up = this.when(crossedUp(this.fast, this.slow), () => {
    if (this.position().isFlat) this.buy();
  });
  down = this.when(crossedDown(this.fast, this.slow), () => {
    this.exit();
  });
}

const TOOLS = ['backtesting.py', 'vectorbt'] as const;
type Tool = (typeof TOOLS)[number];

interface Case {
  readonly seed: number;
  readonly fast: number;
  readonly slow: number;
  /** Whole coins an order, so that all three trade the same. */
  readonly size: number;
  readonly fee: number;
  readonly cash: number;
  readonly bars: Bars;
}

/** The exit code: 0 when all trades and all equity are equal, 1 when some are not, 2 when the tools cannot run. */
export async function main({ json = false, seeds = '10', bars = '3000' }: Options): Promise<number> {
  const report = (line: string) => process.stderr.write(`${line}\n`);
  try {
    const python = pythonWithTools(ROOT, report);
    const cases = Array.from({ length: Number(seeds) }, (_, at) => caseOf(at + 1, Number(bars)));
    report(`${cases.length} seeds of ${bars} bars in isobar, ${TOOLS.join(' and ')}`);
    const others = runTools(python, cases);
    const rows: ResultRow[] = [];
    for (const [at, of] of cases.entries()) {
      const own = await runOwn(of);
      for (const tool of TOOLS) rows.push({ of, tool, compared: compareBooks(own, others[at]![tool]) });
    }
    process.stdout.write(`${json ? JSON.stringify(rows.map(jsonOf), null, 2) : textOf(rows)}\n`);
    return rows.every(({ compared }) => compared.equal) ? 0 : 1;
  } catch (error) {
    if (!(error instanceof NoTools)) throw error;
    process.stderr.write(`${error.message}\n  ${error.remedy}\n`);
    return 2;
  }
}

/** Bars, lengths of the averages, size and fee of a seed. */
function caseOf(seed: number, length: number): Case {
  const bars = generateBars({ symbol: 'SYNUSDT', interval: '1h', bars: length, seed, price: 100 });
  return { seed, fast: 4 + (seed % 5) * 3, slow: 20 + (seed % 4) * 9, size: 1 + (seed % 7), fee: (seed % 3) * 0.0005, cash: 10_000, bars };
}

async function runOwn({ bars, fast, slow, size, fee, cash }: Case): Promise<Book> {
  const { trades, equity } = await backtest({
    strategy: Cross,
    params: { fast, slow },
    data: bars,
    cash: String(cash),
    size: { base: String(size) },
    fees: { maker: String(fee), taker: String(fee), in: 'quote' },
  });
  const { entryMs, exitMs, entryPrice, exitPrice, quantity, pnl } = trades;
  return {
    trades: Array.from(pnl, (profit, row) => [entryMs[row]!, exitMs[row]!, entryPrice[row]!, exitPrice[row]!, quantity[row]!, profit]),
    equity: Array.from(equity.equity),
  };
}

function runTools(python: string, cases: readonly Case[]): readonly Readonly<Record<Tool, Book>>[] {
  const input = JSON.stringify(cases.map(({ bars, ...of }) => ({ ...of, ...columnsOf(bars) })));
  const script = join(ROOT, 'test', 'agree', 'tools.py');
  const { status, stdout } = spawnSync(python, [script], {
    input,
    encoding: 'utf8',
    maxBuffer: 2 ** 30,
    // No progress bars of the tools.
    env: { ...process.env, TQDM_DISABLE: '1' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  if (status !== 0)
    throw new NoTools(
      'the tools ended with an error',
      'look at the message above; remove .isobar-cache/agree to make their environment again',
    );
  return JSON.parse(stdout) as readonly Readonly<Record<Tool, Book>>[];
}

const COLUMNS = ['openMs', 'open', 'high', 'low', 'close', 'volume'] as const;

function columnsOf(bars: Bars): Readonly<Record<string, readonly number[]>> {
  return Object.fromEntries(COLUMNS.map((name) => [name, Array.from(bars[name])]));
}

interface ResultRow {
  readonly of: Case;
  readonly tool: Tool;
  readonly compared: BookComparison;
}

function jsonOf({ of: { seed, fast, slow, size, fee }, tool, compared }: ResultRow) {
  return { seed, fast, slow, size, fee, tool, ...compared };
}

function textOf(rows: readonly ResultRow[]): string {
  const cells = rows.map(({ of: { seed, fast, slow, size, fee }, tool, compared }) => [
    String(seed),
    tool,
    `${fast}/${slow}`,
    String(size),
    String(fee),
    `${compared.trades}`,
    compared.maxApart.toExponential(1),
    compared.equal ? 'equal' : `unequal: ${compared.first}`,
  ]);
  const unequal = rows.filter(({ compared }) => !compared.equal).length;
  const verdict = unequal === 0 ? `all ${rows.length} equal` : `${unequal} of ${rows.length} unequal`;
  return [...alignedLines([['seed', 'tool', 'averages', 'size', 'fee', 'trades', 'max apart', ''], ...cells]), verdict].join('\n');
}

/** Returns the rows with columns of equal width; all but the tool and the last one end flush. */
function alignedLines(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, at) => Math.max(...rows.map((row) => row[at]!.length)));
  const last = widths.length - 1;
  const cell = (text: string, at: number) => (at === 1 || at === last ? text.padEnd(widths[at]!) : text.padStart(widths[at]!));
  return rows.map((row) => row.map(cell).join('  ').trimEnd());
}
