// Counts the codes that each endpoint has answered, and compares them with the list of unreachable codes.

import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { CODES } from './codes.ts';

/** A row of unreachable.yaml: the codes that no endpoint but those of `except` can answer, and why. */
interface Unreachable {
  readonly codes: readonly number[];
  readonly except: readonly string[];
  readonly reason: string;
}

/** Collects the error codes of each endpoint over all tests of a file. */
export class Coverage {
  readonly #ops: readonly string[];
  /** Cells of the table: `<operation> <code>` for each code that an endpoint has answered. */
  readonly #answeredCells = new Set<string>();
  /** Codes that were seen without a planted fault. */
  readonly #requestCodes = new Set<number>();
  readonly #unreachable: ReadonlySet<string>;

  /** `groups` are names that stand for several endpoints in unreachable.yaml. */
  constructor(ops: readonly string[], groups: Readonly<Record<string, readonly string[]>>) {
    this.#ops = ops;
    const rows = parse(readFileSync(new URL('unreachable.yaml', import.meta.url), 'utf8')) as readonly Unreachable[];
    const unreachableCells = rows.flatMap(({ codes, except, reason }) => {
      if (typeof reason !== 'string' || reason === '') throw new Error(`unreachable.yaml: ${codes.join(', ')} has no reason`);
      const reachable = new Set(except.flatMap((name) => groups[name] ?? [name]));
      for (const op of reachable) if (!ops.includes(op)) throw new Error(`unreachable.yaml: ${op} is not an endpoint`);
      return ops.filter((op) => !reachable.has(op)).flatMap((op) => codes.map((code) => `${op} ${code}`));
    });
    this.#unreachable = new Set(unreachableCells);
  }

  /** Counts a code of an endpoint. `isFault` is true if a planted fault caused it. */
  countReply(op: string, code: number, isFault: boolean): void {
    this.#answeredCells.add(`${op} ${code}`);
    if (!isFault) this.#requestCodes.add(code);
  }

  /** Pairs of endpoint and code that were neither seen nor listed, and pairs that are listed although they were seen. */
  get problems(): { readonly missing: readonly string[]; readonly stale: readonly string[] } {
    const cells = this.#ops.flatMap((op) => CODES.map((code) => `${op} ${code}`));
    return {
      missing: cells.filter((cell) => !this.#answeredCells.has(cell) && !this.#unreachable.has(cell)),
      stale: cells.filter((cell) => this.#answeredCells.has(cell) && this.#unreachable.has(cell)),
    };
  }

  /** Codes that were seen only with a planted fault. */
  get faultOnlyCodes(): readonly number[] {
    return CODES.filter((code) => !this.#requestCodes.has(code) && this.#ops.some((op) => this.#answeredCells.has(`${op} ${code}`)));
  }

  /** Returns a table with a line for each endpoint and a column for each code, at most 100 columns wide. */
  table(): string {
    const labels = CODES.map((code) => String(code).padStart(5));
    const margin = ' '.repeat(Math.max(...this.#ops.map((op) => op.length)) + 2);
    const header = [0, 1, 2, 3, 4].map((digit) => margin + groupMarks(labels.map((label) => label[digit]!)));
    const rows = this.#ops.map((op) => op.padEnd(margin.length) + groupMarks(CODES.map((code) => this.#mark(op, code))));
    const answeredCount = this.#answeredCells.size;
    const unreachableCount = this.#unreachable.size;
    const cellCount = this.#ops.length * CODES.length;
    return [
      'Endpoints and the codes of their replies: o for a request, f for a planted fault, . unreachable',
      ...header,
      ...rows,
      `${answeredCount} of ${cellCount} cells seen; ${unreachableCount} unreachable, test/blackbox/unreachable.yaml says why`,
    ].join('\n');
  }

  #mark(op: string, code: number): string {
    const cell = `${op} ${code}`;
    if (this.#answeredCells.has(cell)) return this.#requestCodes.has(code) ? 'o' : 'f';
    return this.#unreachable.has(cell) ? '.' : '?';
  }
}

/** Returns the marks as text, in groups of five. */
const groupMarks = (marks: readonly string[]): string =>
  marks
    .map((mark, index) => (index > 0 && index % 5 === 0 ? ` ${mark}` : mark))
    .join('')
    .trimEnd();
