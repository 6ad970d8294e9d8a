// The trial ledger: one append-only file per sweep. Every set that ran is written before its result is reported.

import { closeSync, existsSync, fdatasyncSync, ftruncateSync, mkdirSync, openSync, readdirSync, writeSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { appendAll } from '../../base/memory/appendAll.ts';
import { appendToRegularFile, readInputFile } from '../../adapters/disk/regularFile.ts';
import { ConfigError } from '../../base/errors.ts';
import { decodeLine, encodeLine, type LedgerLine, type ProofLine, type RunLine, type SetLine, type SweepHeader } from './ledgerLine.ts';

/** The content of a ledger file. */
export interface LedgerContent {
  readonly path: string;
  readonly header: SweepHeader;
  /** By the index of the set. If a set has two lines, the first one counts. */
  readonly results: ReadonlyMap<number, SetLine>;
  /** Length of the complete lines, bytes. Anything after them was being written when the process ended. */
  readonly wholeBytes: number;
  readonly isTorn: boolean;
}

/** The files of single runs and of proofs. Each run and each proof is one line. */
const RUNS_FILE = 'runs.jsonl';
const PROOFS_FILE = 'proofs.jsonl';

const NEWLINE = 0x0a;

/** Appends a single run or a proof to its file. Throws the system's error if the file cannot be written. */
export function appendLine(folder: string, line: RunLine | ProofLine): void {
  mkdirSync(folder, { recursive: true });
  appendToRegularFile(join(folder, line.kind === 'run' ? RUNS_FILE : PROOFS_FILE), `${encodeLine(line)}\n`);
}

/** Returns all single runs of a folder. Lines that a crash left incomplete are omitted. */
export function readRuns(folder: string): readonly RunLine[] {
  return readLines(join(folder, RUNS_FILE)).flatMap((line) => (line.kind === 'run' ? [line] : []));
}

/** Returns all verdicts of `isobar prove`, the oldest first. Incomplete lines are omitted. */
export function readProofs(folder: string): readonly ProofLine[] {
  return readLines(join(folder, PROOFS_FILE)).flatMap((line) => (line.kind === 'proof' ? [line] : []));
}

/** Returns the lines of a ledger; none if it does not exist. */
function readLines(path: string): readonly LedgerLine[] {
  if (!existsSync(path)) return [];
  const lines = readInputFile(path).toString('utf8').split('\n');
  return lines.flatMap((text) => decodeLine(text) ?? []);
}

/** Returns true when every set of the sweep has a line. */
export function isFinished({ header, results }: LedgerContent): boolean {
  return results.size >= header.sets;
}

/** Returns the content of a ledger file; null: its first line is incomplete. Throws ConfigError if a line in the middle is damaged. */
export function readLedger(path: string): LedgerContent | null {
  const bytes = readInputFile(path);
  const results = new Map<number, SetLine>();
  let header: SweepHeader | null = null;
  let wholeBytes = 0;
  let damagedLine: number | null = null;
  let start = 0;
  let lineNumber = 0;
  for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
    const line = decodeLine(bytes.toString('utf8', start, end));
    start = end + 1;
    lineNumber++;
    if (line === null) {
      damagedLine ??= lineNumber;
      continue;
    }
    // A crash can only damage the last line. A complete line after a damaged one has another cause.
    if (damagedLine !== null)
      throw new ConfigError(
        `${path}:${damagedLine}: the line is damaged`,
        'restore the file from a backup, or move it away to start the sweep over',
      );
    if (line.kind === 'sweep') header ??= line;
    else if (line.kind === 'set' && !results.has(line.set)) results.set(line.set, line);
    wholeBytes = end + 1;
  }
  return header === null ? null : { path, header, results, wholeBytes, isTorn: wholeBytes < bytes.length };
}

/** Returns the content of all ledger files of a folder, sorted by file name. Empty for a missing folder. */
export function readLedgers(folder: string): readonly LedgerContent[] {
  return ledgerFiles(folder).flatMap((file) => readLedger(join(folder, file)) ?? []);
}

/** Returns the path of the newest sweep with this identity, or null. */
export function findLedger(folder: string, id: string): string | null {
  const stem = `-${id.slice(0, 12)}`;
  const matching = ledgerFiles(folder).filter((file) => new RegExp(`${stem}(-\\d+)?\\.jsonl$`).test(file));
  const numberOf = (file: string) => Number(/-(\d+)\.jsonl$/.exec(file.replace(stem, ''))?.[1] ?? 1);
  const [newest] = matching.toSorted((a, b) => numberOf(b) - numberOf(a));
  return newest === undefined ? null : join(folder, newest);
}

/** Returns an unused path for a sweep of `header`. */
export function freshPath(folder: string, { name, id }: Pick<SweepHeader, 'name' | 'id'>): string {
  for (let number = 1; ; number++) {
    const path = join(folder, `${name}-${id.slice(0, 12)}${number === 1 ? '' : `-${number}`}.jsonl`);
    if (!existsSync(path)) return path;
  }
}

/** Returns the paths of the ledgers in a folder. */
function ledgerFiles(folder: string): readonly string[] {
  return existsSync(folder)
    ? readdirSync(folder)
        .filter((file) => file.endsWith('.jsonl') && file !== RUNS_FILE && file !== PROOFS_FILE)
        .toSorted()
    : [];
}

/** Creates a ledger file with its first line on disk. */
export async function createLedger(path: string, header: SweepHeader): Promise<LedgerWriter> {
  mkdirSync(dirname(path), { recursive: true });
  const file = openSync(path, 'wx');
  try {
    writeSync(file, `${encodeLine(header)}\n`);
    fdatasyncSync(file);
  } finally {
    closeSync(file);
  }
  return new LedgerWriter(await open(path, 'a'));
}

/** Opens the ledger of `content` for more lines, after removing an incomplete last line. */
export async function continueLedger({ path, wholeBytes, isTorn }: LedgerContent): Promise<LedgerWriter> {
  if (isTorn) {
    const file = openSync(path, 'r+');
    try {
      ftruncateSync(file, wholeBytes);
      fdatasyncSync(file);
    } finally {
      closeSync(file);
    }
  }
  return new LedgerWriter(await open(path, 'a'));
}

/** Appends results to a ledger file. Results that arrive during a write are written together afterwards. */
export class LedgerWriter {
  readonly #file: FileHandle;
  /** Lines that wait for the write in progress. */
  #waiting: string[] = [];
  /** The write in progress. */
  #flushing: Promise<void> | null = null;

  constructor(file: FileHandle) {
    this.#file = file;
  }

  /** Resolves when the lines are on disk. */
  async append(lines: readonly SetLine[]): Promise<void> {
    if (lines.length === 0) return;
    appendAll(
      this.#waiting,
      lines.map((line) => `${encodeLine(line)}\n`),
    );
    while (this.#flushing !== null) await this.#flushing;
    if (this.#waiting.length === 0) return;
    this.#flushing = this.#flush(this.#waiting.splice(0));
    try {
      await this.#flushing;
    } finally {
      this.#flushing = null;
    }
  }

  /** Closes the file after a write in progress. */
  async close(): Promise<void> {
    await this.#flushing;
    await this.#file.close();
  }

  /** Writes lines to the disk. */
  async #flush(lines: readonly string[]): Promise<void> {
    await this.#file.appendFile(lines.join(''));
    await this.#file.datasync();
  }
}
