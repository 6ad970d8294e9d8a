// Runs one command of isobar in a process of its own, and keeps what it prints.

import { spawn } from 'node:child_process';
import { after } from '../../adapters/clock/wallClock.ts';

export interface Finished {
  /** Null: it was ended by a signal. */
  readonly code: number | null;
  readonly stdout: string;
  /** Without lines of progress. */
  readonly stderr: string;
}

/** More of an answer would fill the memory of the client. */
const MAX_ANSWER_BYTES = 16 * 2 ** 20;
const MAX_NOTES = 4000;
/** How long after SIGTERM a command is killed, ms. */
const KILL_AFTER_MS = 5000;

/** Starts `program` with `words`. The returned function ends it; `done` is called once in any case. */
export function runCommand(program: string, words: readonly string[], done: (finished: Finished) => void): () => void {
  const child = spawn(process.execPath, [program, ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
  const out: Buffer[] = [];
  let bytes = 0;
  let notes = '';
  let isTooLong = false;
  let disarm: (() => void) | null = null;
  const end = (): void => {
    child.kill('SIGTERM');
    disarm ??= after(KILL_AFTER_MS, () => child.kill('SIGKILL'));
  };
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= MAX_ANSWER_BYTES) out.push(chunk);
    else if (!isTooLong) {
      isTooLong = true;
      end();
    }
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    // Progress overwrites its line.
    notes = (notes + chunk).replace(/[^\n]*\r(?!\n)/g, '').slice(-MAX_NOTES);
  });
  child.once('error', (error) => {
    notes += `${error.message}\n`;
  });
  child.once('close', (code) => {
    disarm?.();
    const stderr = isTooLong ? `the answer is longer than ${MAX_ANSWER_BYTES} bytes` : notes;
    done({ code: isTooLong ? null : code, stdout: isTooLong ? '' : Buffer.concat(out).toString('utf8'), stderr: stderr.trim() });
  });
  return end;
}
