// What strategies keep over restarts: plain data as text, and a whole engine that begins again at such a point.

import { StrategyError } from '../../base/errors.ts';
import { STATE } from '../../orders/lifecycle.ts';
import type { OrderManager } from '../../orders/orderManager.ts';
import { isUnderCancel } from '../../orders/botOrder.ts';
import type { Timers } from './timers.ts';

/** A strategy, as far as its memory goes. */
interface KeptRun {
  readonly index: number;
  readonly name: string;
  readonly kept: object | null;
  readonly hasFailed: boolean;
  readonly draws: number;
  started: boolean;
  awaitsRows: boolean;
  readyMs: number;
  random(): number;
}
/** The strategies of an engine, and which of them is in charge. */
export interface KeptRuns {
  readonly runs: readonly KeptRun[];
  currentStrategy: number;
}
export interface TimedRuns extends KeptRuns {
  readonly timers: Timers;
}
/** What may be under way that no record has. */
export interface OpenWork extends KeptRuns {
  readonly orders: OrderManager;
  readonly followUps: number;
  readonly bracketManager: { readonly hasWaitingStops: boolean; readonly hasPendingTargets: boolean };
}

/** What the strategies of an engine keep at the end of an instant; lists by strategy, due times by timer (-1: never). */
export interface KeptPoint {
  readonly states: readonly string[];
  readonly draws: readonly number[];
  readonly due: readonly number[];
  readonly started: readonly boolean[];
}

/** JSON has no such numbers: NaN, infinity, and 0 below 0. */
const NUMBER = '$number';
/** Names that a member of what is kept may not have: JSON and JavaScript read them as something else. */
const TAKEN: ReadonlySet<string> = new Set([NUMBER, '__proto__']);
const ROOT = 'keep';

/** What `keep` is given. Throws StrategyError for what is no plain data, and for an object that takes no change. */
export function checkKept(name: string, state: unknown): void {
  if (typeof state !== 'object' || state === null)
    throw new StrategyError(`${name}: ${ROOT}: expected an object, got ${whatIs(state)}`, 'keep({ count: 0 })');
  keptText(name, state);
  if (Object.isFrozen(state) || !Object.isExtensible(state))
    throw new StrategyError(`${name}: ${ROOT}: the object is frozen, so that it cannot change`, 'give it as it is, and change it in place');
}

/** A state as JSON. Throws StrategyError for what is no plain data. */
export function keptText(name: string, state: object): string {
  return JSON.stringify(plain({ name, places: new Map() }, state, ROOT));
}

interface Reading {
  readonly name: string;
  /** Where each list and object was found: after a restart each place has one of its own. */
  readonly places: Map<object, string>;
}

function plain(reading: Reading, value: unknown, place: string): unknown {
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0) ? value : { [NUMBER]: numberText(value) };
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value !== 'object' || !isPlain(value)) throw notPlain(reading, value, place);
  const known = reading.places.get(value);
  if (known !== undefined)
    throw new StrategyError(
      `${reading.name}: ${place}: it is the same ${Array.isArray(value) ? 'list' : 'object'} as ${known}, and would be another one after a restart`,
      'keep each list and object in one place, without circles',
    );
  reading.places.set(value, place);
  // A hole of a list is no value either.
  if (Array.isArray(value)) return Array.from(value, (each: unknown, at) => plain(reading, each, `${place}[${at}]`));
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => {
      if (TAKEN.has(key)) throw new StrategyError(`${reading.name}: ${place}: a member cannot be named '${key}'`, 'name it otherwise');
      return [key, plain(reading, each, `${place}.${key}`)];
    }),
  );
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return Array.isArray(value) ? prototype === Array.prototype : prototype === Object.prototype || prototype === null;
}

const numberText = (value: number): string => (Object.is(value, -0) ? '-0' : String(value));

function whatIs(value: unknown): string {
  if (value === null) return 'null';
  return typeof value === 'object' ? (value.constructor?.name ?? 'an object') : typeof value;
}

const notPlain = ({ name }: Reading, value: unknown, place: string): StrategyError =>
  new StrategyError(
    `${name}: ${place}: expected numbers, text, flags, lists or plain objects, got ${whatIs(value)}`,
    'keep plain data; a Map can be kept as a list of its entries',
  );

function revived(_: string, value: unknown): unknown {
  const isNumber = typeof value === 'object' && value !== null && NUMBER in value;
  return isNumber ? Number(value[NUMBER]) : value;
}

/** Throws StrategyError where a strategy keeps what is no plain data: that one is in charge then. */
export function keptPoint(engine: TimedRuns): KeptPoint {
  const { runs, timers } = engine;
  return {
    states: keptTexts(engine),
    draws: runs.map(({ draws }) => draws),
    due: timers.due().map((ms) => (Number.isFinite(ms) ? ms : -1)),
    started: runs.map(({ started }) => started),
  };
}

/** What each strategy keeps, as JSON; nothing of those that keep nothing, and of those that have failed. */
export function keptTexts(engine: KeptRuns): readonly string[] {
  return engine.runs.map(({ index, name, kept, hasFailed }) => {
    if (kept === null || hasFailed) return '';
    engine.currentStrategy = index;
    return keptText(name, kept);
  });
}

/** An engine that is made from the records alone is like this one: every strategy keeps, and nothing is under way that no record has. */
export function isWhole({ runs, orders, followUps, bracketManager }: OpenWork): boolean {
  const isQuiet =
    followUps === 0 && !bracketManager.hasWaitingStops && !bracketManager.hasPendingTargets && orders.drafts.waiting.length === 0;
  const isSimple = orders
    .active()
    .every((order) => order.triggerTicks === 0 && !(isUnderCancel(order) && order.state !== STATE.cancelSent));
  return isQuiet && isSimple && runs.every(({ kept, hasFailed }) => kept !== null && !hasFailed);
}

/** Why the point is not one at which these strategies can begin; null: they can. Timers that `onStart` registers are not there again. */
export function pointProblem({ runs, timers }: TimedRuns, { states, due }: KeptPoint): string | null {
  if (timers.due().length !== due.length) return 'timers were registered after construction';
  return runs.every(({ kept }, at) => (kept === null) === (states[at] === '')) ? null : 'not every strategy keeps what it has kept';
}

/** Strategies go on where they were; `atMs`: the instant of the point. Fields that are not kept have the value of the constructor. */
export function recallPoint({ runs, timers }: TimedRuns, { states, draws, due, started }: KeptPoint, atMs: number): void {
  runs.forEach((run, at) => {
    for (let left = draws[at] ?? 0; left > 0; left--) run.random();
    run.started = started[at] ?? false;
    if (run.started) [run.awaitsRows, run.readyMs] = [false, atMs];
    const { kept } = run;
    if (kept === null) return;
    for (const key of Object.keys(kept)) Reflect.deleteProperty(kept, key);
    if (Array.isArray(kept)) kept.length = 0;
    Object.assign(kept, JSON.parse(states[at]!, revived));
  });
  timers.recall(due.map((ms) => (ms < 0 ? Infinity : ms)));
}
