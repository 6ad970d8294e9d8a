// Fault injection: a seeded schedule decides which fault point fails at which occurrence (order safety, section 14).

import { ConfigError } from '../../base/errors.ts';
import { seededRng } from '../../base/number/rng.ts';
import { isOp, type Op } from '../../protocol/endpoints/endpoints.ts';

/** The fault points, each with its parameters. */
export const FAULT_POINTS = {
  /** The request does not reach the exchange, and the connection closes. */
  'NET.reqDrop': [],
  /** The request arrives late. */
  'NET.reqDelay': ['ms'],
  /** The request arrives twice. The second reply is delivered. */
  'NET.dup': [],
  /** The reply is lost. */
  'NET.respDrop': [],
  'NET.respDelay': ['ms'],
  /** Only the first bytes of the reply arrive, then the connection closes. */
  'NET.truncate': ['bytes'],
  /** An intermediary replaces the reply after the request was carried out. */
  'NET.replace': ['status', 'body'],
  /** The exchange answers with a code and does nothing. */
  'GW.code': ['code'],
  /**
   * The outcome is not reported. The request is carried out or not (`executed` 1 or 0) and answered with `code`; 504 is HTTP 504 without a
   * body.
   */
  'BUS.unknown': ['executed', 'code'],
  /** A created order reaches the book later. */
  'BUS.delay': ['ms'],
  /** An order ends later after its cancel request. */
  'BUS.cancelDelay': ['ms'],
  /** Reads of the market show a state that is frozen for `ms`; money is not affected. */
  'READ.lag': ['ms'],
  /** A list in the reply has only its first rows. */
  'READ.truncate': ['rows'],
  /** The first row of a list appears twice. */
  'READ.duplicate': [],
  /** The list is reversed. */
  'READ.reverse': [],
  /** A field is removed from every object that has it. */
  'READ.remove': ['field'],
  /** A field has another value, given as text. */
  'READ.replace': ['field', 'value'],
  /** The process is unresponsive for `ms`. */
  'PROC.stall': ['ms'],
  /** The process is killed before a write of the exchange store, after a write that is not yet durable, or before the waiting replies. */
  'PROC.kill': ['step'],
  /** A write of the exchange store fails after `bytes` bytes, with a system error code such as ENOSPC. */
  'DISK.write': ['error', 'bytes'],
  /** Syncing a write of the exchange store fails: EIO. */
  'DISK.sync': ['error'],
  /** Syncing is delayed. */
  'DISK.slow': ['ms'],
} as const;
/** The name of a fault point. */
export type FaultPoint = keyof typeof FAULT_POINTS;
/** Fault points of store writes. All others concern requests. */
const WRITE_POINTS: ReadonlySet<FaultPoint> = new Set(['PROC.kill', 'DISK.write', 'DISK.sync', 'DISK.slow']);
/** Parameters that are text; the others are whole numbers. */
const TEXT_PARAM_NAMES: ReadonlySet<string> = new Set(['body', 'field', 'value', 'error', 'step']);
/** Ranges of the whole-number parameters. A code may be one that no exchange has. */
const PARAM_RANGES: Readonly<Record<string, readonly [min: number, max: number]>> = {
  ms: [0, 366 * 86_400_000],
  bytes: [0, 2 ** 31],
  rows: [0, 1_000_000],
  // HTTP has no status outside this range, and statuses below 200 announce a reply that is still to come.
  status: [200, 599],
  executed: [0, 1],
  code: [-1_000_000, 1_000_000],
};
/** The steps of a write at which `PROC.kill` may end the process. */
export const KILL_STEPS = ['before', 'written', 'lasting'] as const;

/** A fault that happens now, with its parameters. */
export interface Fault {
  readonly point: FaultPoint;
  /** Only at this operation. Null: at every request. */
  readonly op: Op | null;
  readonly params: Readonly<Record<string, number | string>>;
}

/** A row of the schedule. */
interface ScheduledFault extends Fault {
  /** The occurrence at which the fault happens, from 1. Null: at each occurrence with probability `p`. */
  readonly nth: number | null;
  readonly p: number;
  /** Number of occurrences until now. */
  occurrences: number;
}

/** The schedule as a client sends it: a seed for probabilities, and unchecked rows. */
export interface FaultSchedule {
  readonly seed: number;
  readonly schedule: readonly unknown[];
}

/** The fault schedule of an exchange, with how often each of its rows could have applied. */
export class Faults {
  #schedule: readonly ScheduledFault[] = [];
  #rng = seededRng(0);

  /** Replaces the schedule. Throws ConfigError naming the first invalid row. */
  setSchedule({ seed, schedule }: FaultSchedule): void {
    this.#schedule = schedule.map(parseRow);
    this.#rng = seededRng(seed);
  }

  /** Number of rows in the schedule. */
  get rowCount(): number {
    return this.#schedule.length;
  }

  /** Returns the faults of the request that has just arrived. */
  faultsOfRequest(op: Op | null): ReadonlyMap<FaultPoint, Fault> {
    return this.#findFaults((row) => !WRITE_POINTS.has(row.point) && (row.op === null || row.op === op));
  }

  /** Returns the faults of the next write of the exchange store. */
  faultsOfWrite(): ReadonlyMap<FaultPoint, Fault> {
    return this.#findFaults(({ point }) => WRITE_POINTS.has(point));
  }

  /** Counts an occurrence of each row that `concerns` selects. Returns the faults that happen at it. */
  #findFaults(concerns: (row: ScheduledFault) => boolean): ReadonlyMap<FaultPoint, Fault> {
    const faults = new Map<FaultPoint, Fault>();
    for (const row of this.#schedule) {
      if (!concerns(row)) continue;
      row.occurrences++;
      const isDue = row.nth === null ? this.#rng.next() < row.p : row.occurrences === row.nth;
      if (isDue) faults.set(row.point, row);
    }
    return faults;
  }
}

/** Parses one row of a schedule. Throws ConfigError naming the row. */
function parseRow(row: unknown, index: number): ScheduledFault {
  const fail = (expected: string): never => {
    throw new ConfigError(`schedule[${index}]: expected ${expected}`, `points: ${Object.keys(FAULT_POINTS).join(' ')}`);
  };
  if (!isRecord(row)) return fail('an object');
  const { point, op = null, nth = null, p = null } = row;
  if (typeof point !== 'string' || !isPoint(point)) return fail('a point');
  if (op !== null && WRITE_POINTS.has(point)) return fail(`no op for ${point}, which concerns store writes`);
  if (op !== null && !(typeof op === 'string' && isOp(op))) return fail('an operation, such as spot.newOrder');
  if ((nth === null) === (p === null)) return fail('one of nth and p');
  if (nth !== null && !(Number.isSafeInteger(nth) && Number(nth) > 0)) return fail('nth to be a whole number of at least 1');
  if (p !== null && !(typeof p === 'number' && p >= 0 && p <= 1)) return fail('p from 0 to 1');
  const unknownName = Object.keys(row).find((name) => !['point', 'op', 'nth', 'p', 'params'].includes(name));
  if (unknownName !== undefined) return fail(`point, op, nth or p, and params, got ${unknownName}`);
  const params = paramsOf(point, row['params'] ?? {}, fail);
  if (point === 'PROC.kill' && !KILL_STEPS.some((step) => step === params['step'])) return fail(`params.step: ${KILL_STEPS.join(', ')}`);
  return { point, op, nth: nth === null ? null : Number(nth), p: p ?? 0, params, occurrences: 0 };
}

/** Parses the parameters of a row: all that the point has, each in its range. */
function paramsOf(point: FaultPoint, rawParams: unknown, fail: (expected: string) => never): Fault['params'] {
  const expectedNames: readonly string[] = FAULT_POINTS[point];
  if (!isRecord(rawParams)) return fail('params to be an object');
  const unknownName = Object.keys(rawParams).find((name) => !expectedNames.includes(name));
  if (unknownName !== undefined) return fail(`no params.${unknownName} of ${point}`);
  const params: Record<string, number | string> = {};
  for (const name of expectedNames) {
    const value = rawParams[name];
    if (TEXT_PARAM_NAMES.has(name)) {
      params[name] = typeof value === 'string' ? value : fail(`params.${name} of ${point}, which is text`);
      continue;
    }
    const [min, max] = PARAM_RANGES[name] ?? [0, 0];
    const isInRange = typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
    params[name] = isInRange ? value : fail(`params.${name} of ${point}, a whole number from ${min} to ${max}`);
  }
  return params;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isPoint = (name: string): name is FaultPoint => Object.hasOwn(FAULT_POINTS, name);

/** Returns a whole-number parameter of a fault; 0 if it is missing. */
export const faultNumber = (fault: Fault | undefined, name: string): number => Number(fault?.params[name] ?? 0);
/** Returns a text parameter of a fault. */
export const faultText = (fault: Fault, name: string): string => String(fault.params[name]);
