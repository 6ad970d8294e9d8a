// Log output that never blocks the bot: it survives a closed pipe, a slow reader and a full disk.

import { writeSync } from 'node:fs';
import { runAfter } from '../../../adapters/clock/wallClock.ts';

/** Maximum number of unread bytes, some thousand lines. Beyond it, lines are dropped until the reader has read everything. */
const MAX_WAITING_BYTES = 1024 * 1024;

/** A standard stream of the process, with its file descriptor. */
type Stream = NodeJS.WriteStream & { readonly fd: number };

/** Listeners for problems of the output. */
export interface OutputEvents {
  /** Called once, with the error code, when the stream is closed. Later lines are dropped. */
  readonly onClosed: (code: string) => void;
  /** Called when the reader reads again, with the number of lines that it has missed. */
  readonly onLinesMissed: (lines: number) => void;
  /** Called with the error code when the log file cannot be written. Called once until it can be written again. */
  readonly onDiskFull: (code: string) => void;
  /** Called when the log file can be written again, with the number of missing lines. */
  readonly onDiskFree: (lines: number) => void;
}

/** The log of one bot. */
export class LogOutput {
  readonly #stream: Stream;
  readonly #events: OutputEvents;
  readonly #file: LogFile | null;
  #isClosed = false;
  /** Lines that were dropped because the reader has not read earlier ones. */
  #missedLines = 0;

  /** `others`: streams that are not written to here, and whose readers may disconnect too. */
  constructor(stream: Stream, others: readonly NodeJS.WriteStream[], events: OutputEvents) {
    this.#stream = stream;
    this.#events = events;
    this.#file = isFile(stream) ? new LogFile(stream, events) : null;
    for (const output of [stream, ...others]) {
      output.on('error', this.#onFailure);
      makeNonBlocking(output);
    }
    stream.on('drain', this.#onDrain);
  }

  /** Writes a line that ends in a newline. Never waits for a reader. */
  write(line: string): void {
    if (this.#file !== null) return this.#file.write(line);
    if (!this.#stream.writable) return;
    if (this.#missedLines > 0 || this.#stream.writableLength > MAX_WAITING_BYTES) this.#missedLines++;
    else this.#stream.write(line);
  }

  readonly #onFailure = ({ code, message }: NodeJS.ErrnoException): void => {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#events.onClosed(code ?? message);
  };

  readonly #onDrain = (): void => {
    const lines = this.#missedLines;
    this.#missedLines = 0;
    if (lines > 0) this.#events.onLinesMissed(lines);
  };
}

/** A log file. A file stream of Node ends after the first failed write; this class tries again with each line. Both wait for the disk. */
class LogFile {
  readonly #stream: Stream;
  readonly #events: OutputEvents;
  /** The bytes of a line that are not written yet. After a failure, the remainder of a line that was written only in part. */
  #unwritten = Buffer.alloc(0);
  /** True from the first failed write until a write succeeds. */
  #isFull = false;
  #missedLines = 0;

  constructor(stream: Stream, events: OutputEvents) {
    this.#stream = stream;
    this.#events = events;
  }

  /** Writes a line after the remainder of the one before. If no byte of a line could be written, the line is dropped and counted. */
  write(line: string): void {
    const remainderError = this.#writeUnwritten();
    if (remainderError !== null) return this.#noteMissing(remainderError);
    const lineBytes = Buffer.from(line);
    this.#unwritten = lineBytes;
    const lineError = this.#writeUnwritten();
    if (lineError === null) return this.#onWritten();
    const isPartlyWritten = this.#unwritten.length < lineBytes.length;
    if (isPartlyWritten) return this.#reportFull(lineError);
    this.#unwritten = Buffer.alloc(0);
    this.#noteMissing(lineError);
  }

  /** Writes the waiting bytes. Returns the error code; null: all are written. */
  #writeUnwritten(): string | null {
    try {
      while (this.#unwritten.length > 0) {
        const writtenBytes = writeSync(this.#stream.fd, this.#unwritten);
        this.#unwritten = this.#unwritten.subarray(writtenBytes);
      }
      return null;
    } catch (error) {
      return error instanceof Error && 'code' in error ? String(error.code) : String(error);
    }
  }

  #noteMissing(code: string): void {
    this.#missedLines++;
    this.#reportFull(code);
  }

  /** Reports the first failure since the last successful write. */
  #reportFull(code: string): void {
    if (this.#isFull) return;
    this.#isFull = true;
    this.#events.onDiskFull(code);
  }

  /** Reports that the file can be written again, if it could not before. */
  #onWritten(): void {
    if (!this.#isFull) return;
    const lines = this.#missedLines;
    this.#missedLines = 0;
    this.#isFull = false;
    this.#events.onDiskFree(lines);
  }
}

/** True when Node writes to the stream as to a file, also to a device. False for a terminal, a pipe and a socket. */
const isFile = (stream: NodeJS.WriteStream): boolean => Reflect.get(stream, '_type') === 'fs';

/** Writes a line, also when the disk may be full. On an error the line is lost. */
export function writeLine(stream: Stream, text: string): void {
  if (!isFile(stream)) return void stream.write(text);
  try {
    writeSync(stream.fd, text);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
  }
}

/** Resolves true when all output was handed over, at the latest after `maxMs`. */
export async function waitForWrites(streams: readonly NodeJS.WriteStream[], maxMs: number): Promise<boolean> {
  const unwrittenStreams = (): readonly NodeJS.WriteStream[] => streams.filter((stream) => stream.writable && stream.writableLength > 0);
  await new Promise<void>((resolve) => {
    const cancelTimeout = runAfter(maxMs, resolve);
    const resolveIfWritten = (): void => {
      if (unwrittenStreams().length > 0) return;
      cancelTimeout();
      resolve();
    };
    for (const stream of unwrittenStreams()) stream.on('drain', resolveIfWritten).on('error', resolveIfWritten);
    resolveIfWritten();
  });
  return unwrittenStreams().length === 0;
}

/**
 * Makes writes to a terminal non-blocking. By default Node waits for a terminal at each write. A terminal that is stopped (Ctrl-S) or whose
 * connection is silent takes a few thousand bytes, then the whole bot would block.
 */
function makeNonBlocking(stream: NodeJS.WriteStream): void {
  if (!stream.isTTY) return;
  const handle = Reflect.get(stream, '_handle') as { readonly setBlocking?: (isBlocking: boolean) => void } | null | undefined;
  handle?.setBlocking?.(false);
  // The terminal may be shared with the shell, which expects blocking mode.
  process.once('exit', () => handle?.setBlocking?.(true));
}
