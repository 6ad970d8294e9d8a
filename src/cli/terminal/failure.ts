// Converts an error to the message for the user and the exit code for scripts. No other file does this.

import { sourcePlaces } from '../../adapters/runtime/sourcePlaces.ts';
import { userFrames } from '../../tasks/backtest/thread/userFrames.ts';
import { ConfigError, DiffersError, EXIT, StrategyError } from '../../base/errors.ts';
import { isTooManyFiles, TOO_MANY_FILES } from './openFiles.ts';
import { printError } from './print.ts';

/** Maximum number of stack lines of the user's own code that are shown. */
const MAX_FRAMES = 4;

/** Prints the error and its remedy on stderr, and returns the exit code. docs/errors.md lists both. */
export function printFailure(error: unknown): number {
  printError(failureText(error));
  if (error instanceof DiffersError) return EXIT.differs;
  return error instanceof ConfigError || isTooManyFiles(error) ? EXIT.badInput : EXIT.failed;
}

/** Returns the message with its remedy. For an error in a strategy or in isobar, the stack lines follow. */
function failureText(error: unknown): string {
  if (error instanceof ConfigError) return withRemedy(error.message, error.remedy);
  if (error instanceof StrategyError) return [withRemedy(error.message, error.remedy), ...framesOf(error.cause)].join('\n');
  if (isTooManyFiles(error)) return TOO_MANY_FILES;
  if (isOutOfMemory(error)) {
    return withRemedy('the backtest ran out of memory', 'run a shorter range, or give more: NODE_OPTIONS=--max-old-space-size=8192');
  }
  const { name, message, stack = '' } = error instanceof Error ? error : new Error(String(error));
  const frames = sourcePlaces(stack)
    .split('\n')
    .filter((line) => /^\s+at /.test(line));
  return [withRemedy(`${name}: ${message}`, 'this is a fault of isobar; please report it with the lines below'), ...frames].join('\n');
}

/** Returns a message with its remedy on an indented second line. */
function withRemedy(message: string, remedy: string): string {
  return remedy === '' ? message : `${message}\n  ${remedy}`;
}

/** Returns the stack lines in the user's files. */
function framesOf(cause: unknown): readonly string[] {
  if (!(cause instanceof Error)) return [];
  return userFrames(cause.stack ?? '')
    .slice(0, MAX_FRAMES)
    .map((line) => line.replace(/^\s+/, '    '));
}

/** True when a worker thread ran out of memory. */
function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}
