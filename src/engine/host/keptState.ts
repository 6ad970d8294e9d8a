// State that strategies keep over restarts: plain data as JSON, and an engine that resumes from such a state.

import { largestOf } from '../../base/number/extremes.ts';
import { StrategyError } from '../../base/errors.ts';
import { STATE } from '../../orders/lifecycle.ts';
import type { OrderManager } from '../../orders/orderManager.ts';
import { isUnderCancel, type BotOrder } from '../../orders/botOrder.ts';
import { COUNTING_LIMITS, type RiskLimits } from '../../risk/limits/limits.ts';
import type { Timers } from './timers.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;

/** What keeping and resuming needs of a strategy. */
interface KeptRun {
  readonly index: number;
  readonly name: string;
  readonly kept: object | null;
  readonly instance: object | null;
  readonly hasFailed: boolean;
  readonly hasGroups: boolean;
  readonly draws: number;
  hasStarted: boolean;
  awaitsRows: boolean;
  readyMs: number;
  random(): number;
}
/** The strategies of an engine, and the current one. */
export interface KeptRuns {
  readonly runs: readonly KeptRun[];
  currentStrategy: number;
}
/** Runs with their timers. */
export interface TimedRuns extends KeptRuns {
  readonly timers: Timers;
}
/** An engine that resumes. */
export interface ResumingRuns extends TimedRuns {
  readonly risk: { readonly limits: RiskLimits };
}
/** Work in progress that the journal may not contain. */
export interface OpenWork extends KeptRuns {
  readonly orders: OrderManager;
  readonly followUps: number;
  readonly brackets: { readonly aside: { readonly count: number } };
  readonly bracketManager: { readonly hasWaitingStops: boolean; readonly hasPendingTargets: boolean };
}

/** What the strategies of an engine keep at the end of an instant: lists by strategy, and due times by timer (-1: never). */
export interface KeptPoint {
  readonly states: readonly string[];
  readonly draws: readonly number[];
  readonly due: readonly number[];
  readonly started: readonly boolean[];
}

/** Marks numbers that JSON lacks: NaN, infinities and negative zero. */
const NUMBER_KEY = '$number';
/** Member names that kept data may not use, because JSON or JavaScript give them another meaning. */
const RESERVED_NAMES: ReadonlySet<string> = new Set([NUMBER_KEY, '__proto__']);
/** Maximum length of the states of all strategies together, as a record of the journal has them. A record holds 1 MiB. */
const MAX_RECORDED_LENGTH = 1_000_000;
/** Length of a character that is written by its code, such as \u00e9. */
const CODE_LENGTH = 6;
const [QUOTE, BACKSLASH, FIRST_PRINTABLE, LAST_PRINTABLE] = [0x22, 0x5c, 0x20, 0x7e];
/** The path of the whole state in messages. */
const ROOT_PLACE = 'keep';

/** Checks the argument of `keep`. Throws StrategyError if it is not plain data, or if an object cannot be changed. */
export function checkKept(name: string, state: unknown): void {
  if (typeof state !== 'object' || state === null)
    throw new StrategyError(`${name}: ${ROOT_PLACE}: expected an object, got ${typeText(state)}`, 'give it an object: keep({ count: 0 })');
  const length = recordedLength(keptText(name, state));
  if (length > MAX_RECORDED_LENGTH) throw tooLongError(name, length);
  checkMembers(name, state, ROOT_PLACE);
  if (Object.isFrozen(state) || !Object.isExtensible(state))
    throw new StrategyError(
      `${name}: ${ROOT_PLACE}: the object is frozen, so that it cannot change`,
      'keep an object that the strategy can change in place',
    );
}

/**
 * Throws StrategyError for a member that JSON would change or leave out. A getter would be a fixed value after a restart, and a member with
 * a symbol as its name would be missing. Only the first state is checked, because checking each later one would cost too much.
 */
function checkMembers(name: string, state: object, place: string): void {
  const checkInner = (value: unknown, innerPlace: string): void => {
    if (typeof value === 'object' && value !== null) checkMembers(name, value, innerPlace);
  };
  if (Array.isArray(state)) return state.forEach((element, index) => checkInner(element, `${place}[${index}]`));
  for (const [key, member] of Object.entries(Object.getOwnPropertyDescriptors(state))) {
    const memberPlace = `${place}.${key}`;
    if ('get' in member)
      throw new StrategyError(
        `${name}: ${memberPlace}: expected a value, got a getter or setter, which would be a fixed value after a restart`,
        'keep the values, and compute others in a method of the strategy',
      );
    checkInner(member.value, memberPlace);
  }
  const [symbol] = Object.getOwnPropertySymbols(state);
  if (symbol !== undefined)
    throw new StrategyError(`${name}: ${place}: a member cannot be named by a symbol (${String(symbol)})`, 'name it by a text');
}

/** Returns a state as JSON. Throws StrategyError if it is not plain data. */
export function keptText(name: string, state: object): string {
  return JSON.stringify(plainValue({ name, places: new Map() }, state, ROOT_PLACE));
}

/** The check of one state of the strategy `name`. */
interface StateCheck {
  readonly name: string;
  /** Where each list and object was found. After a restart each place has its own copy, so a shared object is rejected. */
  readonly places: Map<object, string>;
}

/** Returns the value as JSON can hold it. `place` is its path inside the state. Throws StrategyError if it is not plain data. */
function plainValue(check: StateCheck, value: unknown, place: string): unknown {
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0) ? value : { [NUMBER_KEY]: numberText(value) };
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value !== 'object' || !isPlain(value)) throw notPlainError(check, value, place);
  const earlierPlace = check.places.get(value);
  if (earlierPlace !== undefined) {
    const typeName = Array.isArray(value) ? 'list' : 'object';
    throw new StrategyError(
      `${check.name}: ${place}: it is the same ${typeName} as ${earlierPlace}, and would be another one after a restart`,
      'keep each list and object in one place, without circles',
    );
  }
  check.places.set(value, place);
  // A hole in a list is not a valid value either, so visit holes too.
  if (Array.isArray(value)) return Array.from(value, (element: unknown, index) => plainValue(check, element, `${place}[${index}]`));
  return Object.fromEntries(
    Object.entries(value).map(([key, element]) => {
      if (RESERVED_NAMES.has(key))
        throw new StrategyError(`${check.name}: ${place}: a member cannot be named '${key}'`, 'choose another name');
      return [key, plainValue(check, element, `${place}.${key}`)];
    }),
  );
}

/** True for a list, or an object that belongs to no class. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return Array.isArray(value) ? prototype === Array.prototype : prototype === Object.prototype || prototype === null;
}

const numberText = (value: number): string => (Object.is(value, -0) ? '-0' : String(value));

function typeText(value: unknown): string {
  if (value === null) return 'null';
  return typeof value === 'object' ? (value.constructor?.name ?? 'an object') : typeof value;
}

const notPlainError = ({ name }: StateCheck, value: unknown, place: string): StrategyError =>
  new StrategyError(
    `${name}: ${place}: expected numbers, text, flags, lists or plain objects, got ${typeText(value)}`,
    'keep plain data; a Map can be kept as a list of its entries',
  );

/** Returns an upper bound of the length of a text inside a record: quotes and other special characters are escaped there. */
function recordedLength(text: string): number {
  if (text.length * CODE_LENGTH <= MAX_RECORDED_LENGTH) return text.length * CODE_LENGTH;
  let length = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    const isEscaped = code === QUOTE || code === BACKSLASH;
    const isWrittenByCode = code < FIRST_PRINTABLE || code > LAST_PRINTABLE;
    length += isWrittenByCode ? CODE_LENGTH : isEscaped ? 2 : 1;
  }
  return length;
}

const tooLongError = (name: string, length: number): StrategyError =>
  new StrategyError(
    `${name}: ${ROOT_PLACE}: ${length} characters in the journal; all strategies together may keep ${MAX_RECORDED_LENGTH}`,
    'keep less, such as the newest values only',
  );

/** The reviver of JSON.parse that restores the numbers that `plainValue` has marked. */
function reviveValue(_: string, value: unknown): unknown {
  const isNumber = typeof value === 'object' && value !== null && NUMBER_KEY in value;
  return isNumber ? Number(value[NUMBER_KEY]) : value;
}

/** Returns what the strategies keep. Throws StrategyError, with the strategy as the current one, if it keeps anything but plain data. */
export function keptPoint(engine: TimedRuns): KeptPoint {
  const { runs, timers } = engine;
  return {
    states: keptTexts(engine),
    draws: runs.map(({ draws }) => draws),
    due: timers.due().map((ms) => (Number.isFinite(ms) ? ms : -1)),
    started: runs.map(({ hasStarted }) => hasStarted),
  };
}

/**
 * Returns what each strategy keeps, as JSON; an empty text for a strategy that keeps nothing or has failed. Throws StrategyError as `keptPoint`
 * does, and if all of it is too long for a record: the strategy that keeps most is then the current one.
 */
export function keptTexts(engine: KeptRuns): readonly string[] {
  const { runs } = engine;
  const texts = runs.map(({ index, name, kept, hasFailed }) => {
    if (kept === null || hasFailed) return '';
    engine.currentStrategy = index;
    return keptText(name, kept);
  });
  const totalLength = texts.reduce((sum, text) => sum + text.length, 0);
  if (totalLength * CODE_LENGTH <= MAX_RECORDED_LENGTH) return texts;
  const lengths = texts.map(recordedLength);
  if (lengths.reduce((sum, length) => sum + length, 0) <= MAX_RECORDED_LENGTH) return texts;
  const tooLongIndex = lengths.indexOf(largestOf(lengths));
  engine.currentStrategy = tooLongIndex;
  throw tooLongError(runs[tooLongIndex]!.name, lengths[tooLongIndex]!);
}

/**
 * True when the journal and the kept states alone restore this engine. Every strategy then keeps its state, and the journal contains all
 * work in progress.
 */
export function isFullyRecorded({ runs, orders, followUps, brackets, bracketManager }: OpenWork): boolean {
  const hasNoWaitingWork =
    followUps === 0 &&
    brackets.aside.count === 0 &&
    !bracketManager.hasWaitingStops &&
    !bracketManager.hasPendingTargets &&
    orders.drafts.waiting.length === 0;
  // The journal does not contain a cancel that could not be sent yet.
  const hasUnsentCancel = (order: BotOrder): boolean => isUnderCancel(order) && order.state !== STATE.cancelSent;
  const hasRecordedOrders = orders.active().every((order) => order.triggerTicks === 0 && !hasUnsentCancel(order));
  return hasNoWaitingWork && hasRecordedOrders && runs.every(({ kept, hasFailed, hasGroups }) => kept !== null && !hasFailed && !hasGroups);
}

/**
 * Returns why these strategies cannot resume from the point, or null if they can. A timer that `onStart` or `closeAt` has registered would be
 * missing. A rule that counts would begin at zero. A field that holds a part of the kept state would not get its values.
 */
export function pointProblem({ runs, timers, risk }: ResumingRuns, { states, draws, due }: KeptPoint): string | null {
  const countingLimit = COUNTING_LIMITS.find((key) => risk.limits[key] !== undefined);
  if (countingLimit !== undefined) return `risk.${countingLimit} also counts what happened before it`;
  for (const run of runs) {
    const field = sharedField(run);
    if (field !== null) return `the field '${field}' of ${run.name} is a part of the kept state`;
  }
  if (timers.due().length !== due.length) return 'timers were registered after construction, or a closeAt waits';
  const early = runs.find((run, index) => run.draws > (draws[index] ?? 0));
  if (early !== undefined) return `a start of ${early.name} draws more random numbers than it had drawn by then`;
  const isKeptAsBefore = runs.every(({ kept }, index) => (kept === null) === (states[index] === ''));
  return isKeptAsBefore ? null : 'not every strategy keeps what it has kept';
}

/** Returns the name of a field of the strategy that holds a list or an object inside its kept state; null if none does. */
function sharedField({ kept, instance }: KeptRun): string | null {
  if (kept === null || instance === null) return null;
  const parts = new Set<unknown>();
  const addParts = (state: object): void => {
    for (const value of Object.values(state) as unknown[]) {
      if (typeof value !== 'object' || value === null) continue;
      parts.add(value);
      addParts(value);
    }
  };
  addParts(kept);
  return Object.entries(instance).find(([, value]) => parts.has(value))?.[0] ?? null;
}

/** Makes the strategies resume from the point, whose instant is `atMs`. Fields that are not kept have the constructor's value. */
export function recallPoint({ runs, timers }: TimedRuns, { states, draws, due, started }: KeptPoint, atMs: number): void {
  runs.forEach((run, index) => {
    // Drawing again brings the random numbers to where they were. The constructor has drawn the first of them.
    for (let drawsLeft = (draws[index] ?? 0) - run.draws; drawsLeft > 0; drawsLeft--) run.random();
    run.hasStarted = started[index] ?? false;
    if (run.hasStarted) {
      run.awaitsRows = false;
      run.readyMs = atMs;
    }
    const { kept } = run;
    if (kept === null) return;
    for (const key of Object.keys(kept)) Reflect.deleteProperty(kept, key);
    if (Array.isArray(kept)) kept.length = 0;
    Object.assign(kept, JSON.parse(states[index]!, reviveValue));
  });
  timers.recall(due.map((ms) => (ms < 0 ? INFINITY : ms)));
}
