// What a bot prints may lose its reader, have one that stands still, or find no room: no reason to wait, or to leave positions alone.

import { writeSync } from 'node:fs';
import { after } from '../../../adapters/clock/wallClock.ts';

/** What waits for a reader, in bytes: some thousand lines. Beyond it lines are left out until all of it has been read. */
const MAX_WAITING_BYTES = 1024 * 1024;

type Stream = NodeJS.WriteStream & { readonly fd: number };

export interface OutputEvents {
  /** Told once, with the code of the failure; later lines go nowhere. */
  readonly lost: (code: string) => void;
  /** The reader goes on, and has missed so many lines. */
  readonly missed: (lines: number) => void;
  /** The file of the log takes no more, with the code of the failure: told once, until there is room again. */
  readonly full: (code: string) => void;
  /** There is room again, and so many lines are missing. */
  readonly room: (lines: number) => void;
}

export class LogOutput {
  readonly #stream: Stream;
  readonly #events: OutputEvents;
  readonly #file: LogFile | null;
  #isLost = false;
  #missed = 0;

  /** `others`: streams that are not written to here, whose readers may go too. */
  constructor(stream: Stream, others: readonly NodeJS.WriteStream[], events: OutputEvents) {
    this.#stream = stream;
    this.#events = events;
    this.#file = isFile(stream) ? new LogFile(stream, events) : null;
    for (const each of [stream, ...others]) {
      each.on('error', this.#failed);
      neverWait(each);
    }
    stream.on('drain', this.#drained);
  }

  /** Takes a line, ending in a newline, and never waits for anybody to read it. */
  write(line: string): void {
    if (this.#file !== null) return this.#file.write(line);
    if (!this.#stream.writable) return;
    if (this.#missed > 0 || this.#stream.writableLength > MAX_WAITING_BYTES) this.#missed++;
    else this.#stream.write(line);
  }

  readonly #failed = ({ code, message }: NodeJS.ErrnoException): void => {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#events.lost(code ?? message);
  };

  readonly #drained = (): void => {
    const lines = this.#missed;
    this.#missed = 0;
    if (lines > 0) this.#events.missed(lines);
  };
}

/** A stream to a file ends with the first write that fails; here each line is a new try. The disk is waited for in both. */
class LogFile {
  readonly #stream: Stream;
  readonly #events: OutputEvents;
  /** Of a line that the disk has taken a part of. */
  #rest = Buffer.alloc(0);
  #isFull = false;
  #missed = 0;

  constructor(stream: Stream, events: OutputEvents) {
    this.#stream = stream;
    this.#events = events;
  }

  write(line: string): void {
    const before = this.#finish();
    if (before !== null) return this.#miss(before);
    const whole = Buffer.from(line);
    this.#rest = whole;
    const failed = this.#finish();
    if (failed === null) return this.#written();
    if (this.#rest.length < whole.length) return this.#reportFull(failed);
    this.#rest = Buffer.alloc(0);
    this.#miss(failed);
  }

  /** The code of what kept the rest of a line out; null when nothing of it is left. */
  #finish(): string | null {
    try {
      while (this.#rest.length > 0) this.#rest = this.#rest.subarray(writeSync(this.#stream.fd, this.#rest));
      return null;
    } catch (error) {
      return error instanceof Error && 'code' in error ? String(error.code) : String(error);
    }
  }
  #miss(code: string): void {
    this.#missed++;
    this.#reportFull(code);
  }
  #reportFull(code: string): void {
    if (this.#isFull) return;
    this.#isFull = true;
    this.#events.full(code);
  }
  #written(): void {
    if (!this.#isFull) return;
    const lines = this.#missed;
    this.#missed = 0;
    this.#isFull = false;
    this.#events.room(lines);
  }
}

/** Whether Node writes to it as to a file: a device is one too, a terminal, a pipe or a socket is none. */
const isFile = (stream: NodeJS.WriteStream): boolean => Reflect.get(stream, '_type') === 'fs';

/** Says something where a full disk may be as well: what cannot be said there is lost. */
export function writeLine(stream: Stream, text: string): void {
  if (!isFile(stream)) return void stream.write(text);
  try {
    writeSync(stream.fd, text);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
  }
}

/** Resolves with whether everything has been handed over, after `mostMs` at the latest. */
export async function handedOver(streams: readonly NodeJS.WriteStream[], maxMs: number): Promise<boolean> {
  const waits = (): readonly NodeJS.WriteStream[] => streams.filter((stream) => stream.writable && stream.writableLength > 0);
  await new Promise<void>((resolve) => {
    const forget = after(maxMs, resolve);
    const look = (): void => {
      if (waits().length > 0) return;
      forget();
      resolve();
    };
    for (const stream of waits()) stream.on('drain', look).on('error', look);
    look();
  });
  return waits().length === 0;
}

/**
 * Node waits for a terminal with each write. One that is held (Ctrl-S) or at the far end of a connection that has gone silent takes some
 * thousand bytes, and then the whole bot would stand.
 */
function neverWait(stream: NodeJS.WriteStream): void {
  if (!stream.isTTY) return;
  const handle = Reflect.get(stream, '_handle') as { readonly setBlocking?: (isBlocking: boolean) => void } | null | undefined;
  handle?.setBlocking?.(false);
  // The terminal may be shared with the shell, which expects it as it was.
  process.once('exit', () => handle?.setBlocking?.(true));
}
