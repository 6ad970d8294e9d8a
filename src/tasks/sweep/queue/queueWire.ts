// The data that machines of a shared sweep exchange through Redis: the sweep, its tasks, and results as packed doubles.

import { ConfigError } from '../../../base/errors.ts';
import type { IdentityPart } from '../../trials/sweepIdentity.ts';
import { sha256 } from '../../../adapters/runtime/sha256.ts';
import type { Warning } from '../../../model/warning.ts';
import type { TaskResult } from '../search/sweep.ts';

/** A shared sweep as a worker receives it. The worker has its own strategy and bars, and checks that they are the same. */
export interface SharedSweep {
  readonly id: string;
  readonly name: string;
  /** The resolved definition, YAML. Code is never sent: a worker runs the strategy file on its own disk. */
  readonly definition: string;
  /** In the form of `--grid`. */
  readonly grid: readonly string[];
  /** The number of `--random`: sets that are drawn from the grid. Null: all sets of the grid. */
  readonly random: number | null;
  /** The inputs that decide the result, such as the strategy and the bars, with a hash of each. A worker compares them with its own. */
  readonly parts: readonly IdentityPart[];
}

/** The Redis hash of all running sweeps, by id. */
export const SWEEPS = 'isobar:sweeps';

/** Returns the Redis key that exists while the machine that started the sweep is running. */
export function aliveKey(id: string): string {
  return `isobar:alive:${id}`;
}

/** Returns the name of a sweep's queue. */
export function queueName(id: string): string {
  return `sweep-${id.slice(0, 24)}`;
}

/** Returns the id of the queue's job for a task (a list of set indices). Adding the same task of a sweep twice leaves one job. */
export function jobIdOf(sweepId: string, task: readonly number[]): string {
  return `task-${sha256(`${sweepId} ${task.join(' ')}`).slice(0, 24)}`;
}

/** Returns the value of JSON; null for any other text. */
function parsedOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Parses a shared sweep. Throws ConfigError for any other text, JSON or not. */
export function parseShared(text: string): SharedSweep {
  const parsed = parsedOrNull(text);
  if (typeof parsed === 'object' && parsed !== null && 'id' in parsed && 'definition' in parsed && 'parts' in parsed)
    return parsed as SharedSweep;
  throw new ConfigError(
    `${SWEEPS}: expected a shared sweep, got other data`,
    'use another database, such as redis://host/1: another version of isobar uses this one',
  );
}

/** What a worker returns for one task: the result of its sets, or the error of its thread. */
export type TaskReply =
  | {
      /** The figures as little-endian doubles, base64. */
      readonly values: string;
      readonly refused: RowReasons;
      readonly failed: RowReasons;
      /** Number of sets of the task. */
      readonly rows: number;
      readonly warnings: readonly Warning[];
    }
  | { readonly error: unknown };

/** For each set that has a reason: its row in the task, and the reason. */
type RowReasons = readonly (readonly [row: number, reason: string])[];

/** Packs a result for the queue. */
export function packResult({ values, refused, failed, warnings }: TaskResult): TaskReply {
  const bytes = Buffer.alloc(values.length * 8);
  values.forEach((value, index) => bytes.writeDoubleLE(value, index * 8));
  return { values: bytes.toString('base64'), refused: packReasons(refused), failed: packReasons(failed), rows: refused.length, warnings };
}

/** Unpacks the result in a reply. */
export function unpackResult({ values, refused, failed, rows, warnings }: Extract<TaskReply, { values: string }>): TaskResult {
  const bytes = Buffer.from(values, 'base64');
  return {
    values: Float64Array.from({ length: bytes.length / 8 }, (_, index) => bytes.readDoubleLE(index * 8)),
    refused: unpackReasons(refused, rows),
    failed: unpackReasons(failed, rows),
    warnings,
  };
}

/** Packs the reasons for the queue: only those rows that have one. */
function packReasons(reasons: readonly (string | null)[]): RowReasons {
  return reasons.flatMap((reason, row): [number, string][] => (reason === null ? [] : [[row, reason]]));
}

/** Returns the reason of each row, null without one. */
function unpackReasons(packed: RowReasons, rows: number): (string | null)[] {
  const reasons = new Map(packed);
  return Array.from({ length: rows }, (_, row) => reasons.get(row) ?? null);
}
