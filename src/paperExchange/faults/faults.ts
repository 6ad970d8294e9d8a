// Faults on order: which point goes wrong at which of its occurrences, by a seeded schedule (order safety, section 14).

import { ConfigError } from '../../base/errors.ts';
import { seededRng } from '../../base/number/rng.ts';
import { isOp, type Op } from '../../protocol/endpoints/endpoints.ts';

/** What can go wrong here, and the parameters that say how. */
export const POINTS = {
  /** The request is lost on its way: nothing happens, the connection closes. */
  'NET.reqDrop': [],
  /** It arrives late. */
  'NET.reqDelay': ['ms'],
  /** It arrives twice; the second answer is the one that is given. */
  'NET.dup': [],
  /** The answer is lost. */
  'NET.respDrop': [],
  'NET.respDelay': ['ms'],
  /** Only its first bytes arrive, then the connection closes. */
  'NET.truncate': ['bytes'],
  /** Somebody on the way answers in its place, after it was carried out. */
  'NET.replace': ['status', 'body'],
  /** The exchange answers with a code and does nothing. */
  'GW.code': ['code'],
  /** The outcome is not told: it is carried out or not (`executed` 1 or 0), and answered with `code`; 504 is HTTP 504 without a body. */
  'BUS.unknown': ['executed', 'code'],
  /** A create meets the book later. */
  'BUS.delay': ['ms'],
  /** An order ends later after its cancel. */
  'BUS.cancelDelay': ['ms'],
  /** What reads show of the market stands still for so long; money does not. */
  'READ.lag': ['ms'],
  /** Of the list that is answered only the first rows are there. */
  'READ.truncate': ['rows'],
  /** Its first row is there twice. */
  'READ.duplicate': [],
  /** It is the other way round. */
  'READ.reverse': [],
  /** A field is missing, wherever it stands. */
  'READ.remove': ['field'],
  /** A field has another value, which is text. */
  'READ.replace': ['field', 'value'],
  /** The process does nothing for so long. */
  'PROC.stall': ['ms'],
  /** It is killed: before a write of its record, with the write done and not yet lasting, or before the answers that waited for it. */
  'PROC.kill': ['step'],
  /** A write of its record fails after so many bytes of it, with a code of the system such as ENOSPC. */
  'DISK.write': ['error', 'bytes'],
  /** A write of its record cannot be made to last: EIO. */
  'DISK.sync': ['error'],
  /** It lasts later. */
  'DISK.slow': ['ms'],
} as const;
export type Point = keyof typeof POINTS;
/** Those of the writes of the record; all others are of requests. */
const OF_WRITES: ReadonlySet<Point> = new Set(['PROC.kill', 'DISK.write', 'DISK.sync', 'DISK.slow']);
/** Parameters that are text; the others are whole numbers. */
const TEXTS: ReadonlySet<string> = new Set(['body', 'field', 'value', 'error', 'step']);
/** Between which whole numbers the others lie; a code may be one that no exchange has. */
const RANGES: Readonly<Record<string, readonly [least: number, most: number]>> = {
  ms: [0, 366 * 86_400_000],
  bytes: [0, 2 ** 31],
  rows: [0, 1_000_000],
  // HTTP has none outside, and those below tell of an answer that is still to come.
  status: [200, 599],
  executed: [0, 1],
  code: [-1_000_000, 1_000_000],
};
export const STEPS = ['before', 'written', 'lasting'] as const;

export interface Fault {
  readonly point: Point;
  /** Only at this operation; null: at every request. */
  readonly op: Op | null;
  readonly params: Readonly<Record<string, number | string>>;
}

interface Scheduled extends Fault {
  /** The occurrence at which it happens, from 1; null: at each with probability `p`. */
  readonly nth: number | null;
  readonly p: number;
  seen: number;
}

export interface FaultSchedule {
  readonly seed: number;
  readonly schedule: readonly unknown[];
}

export class Faults {
  #schedule: readonly Scheduled[] = [];
  #rng = seededRng(0);

  /** A new schedule in place of the old one. Throws ConfigError naming the first row that is none. */
  set({ seed, schedule }: FaultSchedule): void {
    this.#schedule = schedule.map(parseRow);
    this.#rng = seededRng(seed);
  }

  get active(): number {
    return this.#schedule.length;
  }

  /** What goes wrong with the request that has just arrived. */
  at(op: Op | null): ReadonlyMap<Point, Fault> {
    return this.#found((row) => !OF_WRITES.has(row.point) && (row.op === null || row.op === op));
  }

  /** What goes wrong with the next write of the record. */
  atWrite(): ReadonlyMap<Point, Fault> {
    return this.#found(({ point }) => OF_WRITES.has(point));
  }

  #found(concerns: (row: Scheduled) => boolean): ReadonlyMap<Point, Fault> {
    const found = new Map<Point, Fault>();
    for (const row of this.#schedule) {
      if (!concerns(row)) continue;
      row.seen++;
      if (row.nth === null ? this.#rng.next() < row.p : row.seen === row.nth) found.set(row.point, row);
    }
    return found;
  }
}

function parseRow(row: unknown, at: number): Scheduled {
  const refuse = (what: string): never => {
    throw new ConfigError(`schedule[${at}]: expected ${what}`, `points: ${Object.keys(POINTS).join(' ')}`);
  };
  if (!isRecord(row)) return refuse('an object');
  const { point, op = null, nth = null, p = null } = row;
  if (typeof point !== 'string' || !isPoint(point)) return refuse('a point');
  if (op !== null && OF_WRITES.has(point)) return refuse(`no op at ${point}, which is of no request`);
  if (op !== null && !(typeof op === 'string' && isOp(op))) return refuse('an operation, such as spot.newOrder');
  if ((nth === null) === (p === null)) return refuse('one of nth and p');
  if (nth !== null && !(Number.isSafeInteger(nth) && Number(nth) > 0)) return refuse('nth from 1 on');
  if (p !== null && !(typeof p === 'number' && p >= 0 && p <= 1)) return refuse('p from 0 to 1');
  const surplus = Object.keys(row).find((name) => !['point', 'op', 'nth', 'p', 'params'].includes(name));
  if (surplus !== undefined) return refuse(`point, op, nth or p, and params, got ${surplus}`);
  const params = paramsOf(point, row['params'] ?? {}, refuse);
  if (point === 'PROC.kill' && !STEPS.some((step) => step === params['step'])) return refuse(`params.step: ${STEPS.join(', ')}`);
  return { point, op, nth: nth === null ? null : Number(nth), p: p ?? 0, params, seen: 0 };
}

function paramsOf(point: Point, given: unknown, refuse: (what: string) => never): Fault['params'] {
  const wanted: readonly string[] = POINTS[point];
  if (!isRecord(given)) return refuse('params to be an object');
  const surplus = Object.keys(given).find((name) => !wanted.includes(name));
  if (surplus !== undefined) return refuse(`no params.${surplus} of ${point}`);
  const params: Record<string, number | string> = {};
  for (const name of wanted) {
    const value = given[name];
    if (TEXTS.has(name)) {
      params[name] = typeof value === 'string' ? value : refuse(`params.${name} of ${point}, which is text`);
      continue;
    }
    const [min, max] = RANGES[name] ?? [0, 0];
    const isRight = typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
    params[name] = isRight ? value : refuse(`params.${name} of ${point}, a whole number from ${min} to ${max}`);
  }
  return params;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isPoint = (name: string): name is Point => Object.hasOwn(POINTS, name);

/** A whole number of a fault's parameters. */
export const faultNumber = (fault: Fault | undefined, name: string): number => Number(fault?.params[name] ?? 0);
/** A text of them. */
export const faultText = (fault: Fault, name: string): string => String(fault.params[name]);
