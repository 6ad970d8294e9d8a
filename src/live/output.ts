// What a bot prints may lose its reader, or have one that stands still: that is no reason to wait, or to leave positions alone.

import { after } from '../adapters/clock/wallClock.ts';

/** What waits for a reader, in bytes: some thousand lines. Beyond it lines are left out until all of it has been read. */
const MOST_WAITING_BYTES = 1024 * 1024;

export interface OutputEvents {
  /** Told once, with the code of the failure; later lines go nowhere. */
  readonly lost: (code: string) => void;
  /** The reader goes on, and has missed so many lines. */
  readonly missed: (lines: number) => void;
}

export class Output {
  readonly #stream: NodeJS.WriteStream;
  readonly #events: OutputEvents;
  #isLost = false;
  #missed = 0;

  /** `others`: streams that are not written to here, whose readers may go too. */
  constructor(stream: NodeJS.WriteStream, others: readonly NodeJS.WriteStream[], events: OutputEvents) {
    this.#stream = stream;
    this.#events = events;
    for (const each of [stream, ...others]) {
      each.on('error', this.#failed);
      neverWait(each);
    }
    stream.on('drain', this.#drained);
  }

  /** Takes a line, ending in a newline, and never waits for anybody to read it. */
  write(line: string): void {
    if (!this.#stream.writable) return;
    if (this.#missed > 0 || this.#stream.writableLength > MOST_WAITING_BYTES) this.#missed++;
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

/** Resolves with whether everything has been handed over, after `mostMs` at the latest. */
export async function handedOver(streams: readonly NodeJS.WriteStream[], mostMs: number): Promise<boolean> {
  const waits = (): readonly NodeJS.WriteStream[] => streams.filter((stream) => stream.writable && stream.writableLength > 0);
  await new Promise<void>((resolve) => {
    const forget = after(mostMs, resolve);
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
