// Which class a call counts in, and on what: the endpoint table, with what the user knows better.

import { ConfigError } from '../../../base/errors.ts';
import type { RateLimit } from '../../../protocol/endpoints/endpoint.ts';
import { endpointOf, OPS, type Op } from '../../../protocol/endpoints/endpoints.ts';

/** What differs from the endpoint table. */
export interface LimitOverride {
  /** Weights in a window, 1 or more. */
  readonly count?: number | undefined;
  /** ms, 1 or more. */
  readonly windowMs?: number | undefined;
  /** What one call counts; 1 or more, at most `count`. */
  readonly weight?: number | undefined;
}

/** By endpoint (`spot.klines`) or class of calls (`spot.public`). */
export type LimitOverrides = Readonly<Record<string, LimitOverride | undefined>>;

export interface ClassLimit {
  readonly rateClass: string;
  readonly scope: RateLimit['scope'];
  readonly count: number;
  readonly windowMs: number;
  /** `configured`: the user's own. Those that nobody published are adapted to what the exchange answers. */
  readonly source: RateLimit['source'] | 'configured';
  /** The heaviest call of the class. */
  readonly heaviest: number;
}

export interface OpLimit {
  readonly limit: ClassLimit;
  readonly weight: number;
}

/**
 * The limit of every call. `publicOnKey`: calls without a signature carry the key all the same, and count on it. An endpoint of a shared
 * class with a count or window of its own leaves the class; with a weight alone it stays. Throws ConfigError for names that are neither,
 * and for limits into which a call does not fit.
 */
export function limitTable(overrides: LimitOverrides = {}, publicOnKey = false): ReadonlyMap<Op, OpLimit> {
  const classes = new Set<string>(OPS.map((op) => endpointOf(op).limit.rateClass));
  for (const [name, text] of Object.entries(overrides)) check(name, text ?? {}, classes);
  const rows = OPS.map((op) => ({ op, row: rowOf(op, overrides, publicOnKey) }));
  const heaviest = new Map<string, number>();
  for (const { row } of rows) heaviest.set(row.rateClass, Math.max(row.weight, heaviest.get(row.rateClass) ?? 0));
  const limits = new Map<string, ClassLimit>();
  return new Map(rows.map(({ op, row }) => [op, { weight: row.weight, limit: shared(row, heaviest.get(row.rateClass) ?? 1, limits) }]));
}

interface Row extends Omit<RateLimit, 'source'> {
  readonly source: ClassLimit['source'];
}

function rowOf(op: Op, overrides: LimitOverrides, publicOnKey: boolean): Row {
  const { limit } = endpointOf(op);
  const own = limit.rateClass === op ? {} : (overrides[op] ?? {});
  const ofClass = overrides[limit.rateClass] ?? {};
  const leaves = own.count !== undefined || own.windowMs !== undefined;
  const isText = leaves || ofClass.count !== undefined || ofClass.windowMs !== undefined;
  return {
    rateClass: leaves ? op : limit.rateClass,
    scope: publicOnKey ? 'key' : limit.scope,
    count: own.count ?? ofClass.count ?? limit.count,
    windowMs: own.windowMs ?? ofClass.windowMs ?? limit.windowMs,
    weight: own.weight ?? ofClass.weight ?? limit.weight,
    source: isText ? 'configured' : limit.source,
  };
}

function shared(row: Row, heaviest: number, limits: Map<string, ClassLimit>): ClassLimit {
  const { rateClass, scope, count, windowMs, source } = row;
  const known = limits.get(rateClass);
  if (known) return known;
  if (heaviest > count) {
    throw new ConfigError(
      `limits.${rateClass}: expected a count of at least ${heaviest}, the weight of one call, got ${count}`,
      'raise the count, or lower the weight',
    );
  }
  const limit = { rateClass, scope, count, windowMs, source, heaviest };
  limits.set(rateClass, limit);
  return limit;
}

function check(name: string, text: LimitOverride, classes: ReadonlySet<string>): void {
  if (!classes.has(name) && !OPS.some((op) => op === name)) {
    throw new ConfigError(`limits.${name}: no such endpoint, and no such class of calls`, 'isobar api --list shows the endpoints');
  }
  for (const [key, value] of Object.entries(text)) {
    if (value === undefined || (Number.isSafeInteger(value) && value >= 1)) continue;
    throw new ConfigError(`limits.${name}.${key}: expected a whole number of 1 or more, got ${String(value)}`, 'correct or remove it');
  }
}
