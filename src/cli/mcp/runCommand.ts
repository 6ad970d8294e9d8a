// Runs one command of isobar in its own process, and returns its exit code and output.

import { spawn, type ChildProcessByStdio } from 'node:child_process';
import type { Readable } from 'node:stream';
import { runAfter } from '../../adapters/clock/wallClock.ts';

/** The result of a command that has ended. */
export interface CommandResult {
  /** The exit code; null when a signal ended the process. */
  readonly code: number | null;
  readonly stdout: string;
  /** Standard error without progress lines. */
  readonly stderr: string;
}

/** Maximum length of stdout in bytes. A longer output would fill the memory of the client. */
const MAX_OUTPUT_BYTES = 16 * 2 ** 20;
/** Maximum length of stderr in characters. The end is kept. */
const MAX_ERROR_LENGTH = 4000;
/** Time from SIGTERM to SIGKILL, ms. */
const KILL_AFTER_MS = 5000;

/** Starts `program` with the arguments `words`. Calls `done` exactly once, after the program has ended. Returns a function that ends it. */
export function runCommand(program: string, words: readonly string[], done: (result: CommandResult) => void): () => void {
  let child: ChildProcessByStdio<null, Readable, Readable>;
  try {
    child = spawn(process.execPath, [program, ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    queueMicrotask(() => done({ code: null, stdout: '', stderr: startErrorText(error) }));
    return () => {};
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  let errorText = '';
  let isTooLong = false;
  let cancelKill: (() => void) | null = null;
  const terminate = (): void => {
    child.kill('SIGTERM');
    cancelKill ??= runAfter(KILL_AFTER_MS, () => child.kill('SIGKILL'));
  };
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= MAX_OUTPUT_BYTES) chunks.push(chunk);
    else if (!isTooLong) {
      isTooLong = true;
      terminate();
    }
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    // A progress line ends in a carriage return, so that the next one overwrites it. The client does not need it.
    errorText = (errorText + chunk).replace(/[^\n]*\r(?!\n)/g, '').slice(-MAX_ERROR_LENGTH);
  });
  child.once('error', (error) => {
    errorText += `${error.message}\n`;
  });
  child.once('close', (code) => {
    cancelKill?.();
    const stderr = isTooLong ? `the answer is longer than ${MAX_OUTPUT_BYTES} bytes` : errorText;
    const stdout = isTooLong ? '' : Buffer.concat(chunks).toString('utf8');
    done({ code: isTooLong ? null : code, stdout, stderr: stderr.trim() });
  });
  return terminate;
}

/** Returns why a process could not start. The system limits the length of a command line. */
function startErrorText(error: unknown): string {
  const isTooLong = error instanceof Error && 'code' in error && error.code === 'E2BIG';
  if (isTooLong) return 'the arguments are longer than the system allows for a command\n  use shorter arguments';
  return `the command could not start: ${error instanceof Error ? error.message : String(error)}`;
}
