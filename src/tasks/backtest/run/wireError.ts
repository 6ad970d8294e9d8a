// Converts errors to plain data and back, so that they can cross threads.

import { ConfigError, DiffersError, InvariantError, StrategyError } from '../../../base/errors.ts';

/** An error in a form that can be sent between threads. */
export interface WireError {
  readonly kind: 'ConfigError' | 'DiffersError' | 'StrategyError' | 'InvariantError' | 'Error';
  readonly message: string;
  readonly remedy: string;
  readonly stack: string;
  /** Message and stack of the error that a strategy threw; null: no such error. */
  readonly cause: { readonly message: string; readonly stack: string } | null;
}

/** Returns an error in the form for another thread. `remedy` is empty for unexpected errors. */
export function toWire(error: unknown): WireError {
  const { message, stack = '' } = error instanceof Error ? error : new Error(String(error));
  const cause =
    error instanceof Error && error.cause instanceof Error ? { message: String(error.cause), stack: error.cause.stack ?? '' } : null;
  const remedy = error instanceof ConfigError || error instanceof StrategyError ? error.remedy : '';
  return { kind: kindOf(error), message, remedy, stack, cause };
}

/** Returns the class of an error by which it is rebuilt in another thread. */
function kindOf(error: unknown): WireError['kind'] {
  if (error instanceof ConfigError) return 'ConfigError';
  if (error instanceof DiffersError) return 'DiffersError';
  if (error instanceof StrategyError) return 'StrategyError';
  return error instanceof InvariantError ? 'InvariantError' : 'Error';
}

/** Restores the error, with the stack of the thread in which it was thrown. */
export function fromWire(wire: WireError): Error {
  const error = rebuildError(wire);
  error.stack = wire.stack;
  return error;
}

/** Returns the error of another thread as an error of this one. */
function rebuildError({ kind, message, remedy, cause }: WireError): Error {
  if (kind === 'ConfigError') return new ConfigError(message, remedy);
  if (kind === 'DiffersError') return new DiffersError(message, remedy);
  if (kind === 'StrategyError') return new StrategyError(message, remedy, cause === null ? undefined : errorFrom(cause));
  return kind === 'InvariantError' ? new InvariantError(message) : new Error(message);
}

function errorFrom(cause: { readonly message: string; readonly stack: string }): Error {
  const error = new Error(cause.message);
  error.stack = cause.stack;
  return error;
}
