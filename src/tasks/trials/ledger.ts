// The trial ledger: one append-only file a sweep, in which every set that ran stands before anything is told about it.

import {
  appendFileSync,
  closeSync,
  existsSync,
  fdatasyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  writeSync,
} from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ConfigError } from '../../base/errors.ts';
import { decodeLine, encodeLine, type RunLine, type SetLine, type SweepHeader } from './ledgerLine.ts';

/** What a ledger file holds. */
export interface LedgerContent {
  readonly path: string;
  readonly header: SweepHeader;
  /** One line a set: of a set that stands there twice, the first. */
  readonly results: ReadonlyMap<number, SetLine>;
  /** Bytes of whole lines; what lies behind them was being written when the process ended. */
  readonly wholeBytes: number;
  readonly isTorn: boolean;
}

/** The file of single runs: a line each, appended whole. */
const RUNS = 'runs.jsonl';

/** Appends a single run. Throws the system's error where it cannot be written. */
export function appendRun(folder: string, line: RunLine): void {
  mkdirSync(folder, { recursive: true });
  appendFileSync(join(folder, RUNS), `${encodeLine(line)}\n`);
}

/** Returns all single runs of a folder. A line that is not whole was cut by a crash, and is left out. */
export function readRuns(folder: string): readonly RunLine[] {
  const path = join(folder, RUNS);
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.flatMap((text) => {
    const line = decodeLine(text);
    return line?.kind === 'run' ? [line] : [];
  });
}

/** True when every set of the sweep has a line. */
export function isFinished({ header, results }: LedgerContent): boolean {
  return results.size >= header.sets;
}

/** Reads a ledger file; null when not even its first line is whole. Throws ConfigError when a line in its middle is damaged. */
export function readLedger(path: string): LedgerContent | null {
  const bytes = readFileSync(path);
  const results = new Map<number, SetLine>();
  let header: SweepHeader | null = null;
  let wholeBytes = 0;
  let cutAt: number | null = null;
  for (let from = 0, line = 1, end = bytes.indexOf(0x0a); end >= 0; from = end + 1, line++, end = bytes.indexOf(0x0a, from)) {
    const entry = decodeLine(bytes.toString('utf8', from, end));
    if (entry === null) {
      cutAt ??= line;
      continue;
    }
    // A write that was cut leaves nothing whole behind it; anything else is not the work of a crash.
    if (cutAt !== null)
      throw new ConfigError(`${path}:${cutAt}: the line is damaged`, 'restore the file, or move it away to begin the sweep anew');
    if (entry.kind === 'sweep') header ??= entry;
    else if (entry.kind === 'set' && !results.has(entry.set)) results.set(entry.set, entry);
    wholeBytes = end + 1;
  }
  return header === null ? null : { path, header, results, wholeBytes, isTorn: wholeBytes < bytes.length };
}

/** All ledger files of a folder, by name; an absent folder has none. */
export function readLedgers(folder: string): readonly LedgerContent[] {
  return ledgerFiles(folder).flatMap((file) => readLedger(join(folder, file)) ?? []);
}

/** The file of the newest sweep of this identity, or null. */
export function findLedger(folder: string, id: string): string | null {
  const stem = `-${id.slice(0, 12)}`;
  const found = ledgerFiles(folder).filter((file) => new RegExp(`${stem}(-\\d+)?\\.jsonl$`).test(file));
  const turn = (file: string) => Number(/-(\d+)\.jsonl$/.exec(file.replace(stem, ''))?.[1] ?? 1);
  const newest = found.toSorted((a, b) => turn(b) - turn(a))[0];
  return newest === undefined ? null : join(folder, newest);
}

/** A path for a sweep of `header` that no file has yet. */
export function freshPath(folder: string, { name, id }: Pick<SweepHeader, 'name' | 'id'>): string {
  for (let turn = 1; ; turn++) {
    const path = join(folder, `${name}-${id.slice(0, 12)}${turn === 1 ? '' : `-${turn}`}.jsonl`);
    if (!existsSync(path)) return path;
  }
}

function ledgerFiles(folder: string): readonly string[] {
  return existsSync(folder)
    ? readdirSync(folder)
        .filter((file) => file.endsWith('.jsonl') && file !== RUNS)
        .toSorted()
    : [];
}

/** A new ledger file with its first line on disk. */
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

/** The ledger of `content`, ready for more: a torn tail is cut off first. */
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

/** Appends results; those that come while the disk is busy are written together. */
export class LedgerWriter {
  readonly #file: FileHandle;
  #waiting: string[] = [];
  #flushing: Promise<void> | null = null;

  constructor(file: FileHandle) {
    this.#file = file;
  }

  /** Resolves when the lines are on disk. */
  async append(lines: readonly SetLine[]): Promise<void> {
    if (lines.length === 0) return;
    this.#waiting.push(...lines.map((line) => `${encodeLine(line)}\n`));
    while (this.#flushing !== null) await this.#flushing;
    if (this.#waiting.length === 0) return;
    this.#flushing = this.#flush(this.#waiting.splice(0));
    try {
      await this.#flushing;
    } finally {
      this.#flushing = null;
    }
  }

  /** What is being written gets there. */
  async close(): Promise<void> {
    await this.#flushing;
    await this.#file.close();
  }

  async #flush(lines: readonly string[]): Promise<void> {
    await this.#file.appendFile(lines.join(''));
    await this.#file.datasync();
  }
}
