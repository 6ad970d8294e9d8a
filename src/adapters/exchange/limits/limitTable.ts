// Determines the rate limit of each operation: from the endpoint table and the user's overrides.

import { ConfigError } from '../../../base/errors.ts';
import type { RateLimit } from '../../../protocol/endpoints/endpoint.ts';
import { endpointOf, OPS, type Op } from '../../../protocol/endpoints/endpoints.ts';

/** Overrides of the endpoint table. */
export interface LimitOverride {
  /** Weight allowed in a window, at least 1. */
  readonly count?: number | undefined;
  /** ms, at least 1. */
  readonly windowMs?: number | undefined;
  /** Weight of one call; at least 1, at most `count`. */
  readonly weight?: number | undefined;
}

/** By endpoint (`spot.klines`) or rate class (`spot.public`). */
export type LimitOverrides = Readonly<Record<string, LimitOverride | undefined>>;

/** The limit of a rate class. */
export interface ClassLimit {
  readonly rateClass: string;
  readonly scope: RateLimit['scope'];
  readonly count: number;
  readonly windowMs: number;
  /** `configured`: set by the user. Unpublished limits adapt to the venue's replies. */
  readonly source: RateLimit['source'] | 'configured';
  /** Weight of the heaviest call of the class. */
  readonly heaviest: number;
}

/** The limit of the rate class to which an operation belongs, and what one call of it costs. */
export interface OpLimit {
  readonly limit: ClassLimit;
  readonly weight: number;
}

/**
 * Returns the limit of every operation. `publicOnKey`: unsigned calls also carry the key and count on it. An endpoint with its own count or
 * window leaves its shared class; with only a weight it stays. Throws ConfigError for unknown names, and for limits smaller than one call.
 */
export function limitTable(overrides: LimitOverrides = {}, publicOnKey = false): ReadonlyMap<Op, OpLimit> {
  const classes = new Set<string>(OPS.map((op) => endpointOf(op).limit.rateClass));
  for (const [name, override] of Object.entries(overrides)) checkOverride(name, override ?? {}, classes);
  const rows = OPS.map((op) => ({ op, row: operationLimitOf(op, overrides, publicOnKey) }));
  const heaviestByClass = new Map<string, number>();
  for (const { row } of rows) heaviestByClass.set(row.rateClass, Math.max(row.weight, heaviestByClass.get(row.rateClass) ?? 0));
  const limits = new Map<string, ClassLimit>();
  return new Map(
    rows.map(({ op, row }) => [op, { weight: row.weight, limit: classLimitOf(row, heaviestByClass.get(row.rateClass) ?? 1, limits) }]),
  );
}

/** The limit of one operation with its overrides. */
interface OperationLimit extends Omit<RateLimit, 'source'> {
  readonly source: ClassLimit['source'];
}

/** Returns the rate limit of an operation. An override of the operation wins over one of its class. */
function operationLimitOf(op: Op, overrides: LimitOverrides, publicOnKey: boolean): OperationLimit {
  const { limit } = endpointOf(op);
  const opOverride = limit.rateClass === op ? {} : (overrides[op] ?? {});
  const classOverride = overrides[limit.rateClass] ?? {};
  const hasOwnClass = opOverride.count !== undefined || opOverride.windowMs !== undefined;
  const isConfigured = hasOwnClass || classOverride.count !== undefined || classOverride.windowMs !== undefined;
  return {
    rateClass: hasOwnClass ? op : limit.rateClass,
    scope: publicOnKey ? 'key' : limit.scope,
    count: opOverride.count ?? classOverride.count ?? limit.count,
    windowMs: opOverride.windowMs ?? classOverride.windowMs ?? limit.windowMs,
    weight: opOverride.weight ?? classOverride.weight ?? limit.weight,
    source: isConfigured ? 'configured' : limit.source,
  };
}

/** Returns the limit of the row's class. All rows of a class share one object. */
function classLimitOf(row: OperationLimit, heaviest: number, limits: Map<string, ClassLimit>): ClassLimit {
  const { rateClass, scope, count, windowMs, source } = row;
  const listedLimit = limits.get(rateClass);
  if (listedLimit) return listedLimit;
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

/** Throws ConfigError for an unknown name, and for a value that is no whole number of at least 1. */
function checkOverride(name: string, override: LimitOverride, classes: ReadonlySet<string>): void {
  if (!classes.has(name) && !OPS.some((op) => op === name)) {
    throw new ConfigError(`limits.${name}: no such endpoint, and no such class of calls`, 'isobar api --list shows the endpoints');
  }
  for (const [key, value] of Object.entries(override)) {
    if (value === undefined || (Number.isSafeInteger(value) && value >= 1)) continue;
    throw new ConfigError(`limits.${name}.${key}: expected a whole number of 1 or more, got ${String(value)}`, 'correct or remove it');
  }
}
