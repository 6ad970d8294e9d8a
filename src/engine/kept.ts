// What strategies keep over restarts: plain data as text, and a whole engine that begins again at such a point.

import { StrategyError } from '../base/errors.ts';
import { STATE } from '../orders/lifecycle.ts';
import { isUnderCancel } from './draftDesk.ts';
import type { Engine } from './engine.ts';

/** What the strategies of an engine keep at the end of an instant; lists by strategy, due times by timer (-1: never). */
export interface KeptPoint {
  readonly states: readonly string[];
  readonly draws: readonly number[];
  readonly due: readonly number[];
  readonly started: readonly boolean[];
}

/** JSON has no such numbers. */
const NUMBER = '$number';

/** A state as JSON. Throws StrategyError for what is no plain data. */
export function keptText(name: string, state: object): string {
  return JSON.stringify(plain(name, state, 'keep'));
}

function plain(name: string, value: unknown, place: string): unknown {
  if (typeof value === 'number') return Number.isFinite(value) ? value : { [NUMBER]: String(value) };
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (Array.isArray(value)) return value.map((each, at) => plain(name, each, `${place}[${at}]`));
  if (typeof value === 'object' && (Object.getPrototypeOf(value) === Object.prototype || Object.getPrototypeOf(value) === null))
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(name, each, `${place}.${key}`)]));
  const what = typeof value === 'object' ? (value.constructor?.name ?? 'an object') : typeof value;
  throw new StrategyError(
    `${name}: ${place}: expected numbers, text, flags, lists or plain objects, got ${what}`,
    'keep plain data; a Map can be kept as a list of its entries',
  );
}

function revived(_: string, value: unknown): unknown {
  const isNumber = typeof value === 'object' && value !== null && NUMBER in value;
  return isNumber ? Number(value[NUMBER]) : value;
}

export function keptPoint({ runs, timers }: Engine): KeptPoint {
  return {
    states: runs.map(({ name, kept }) => (kept === null ? '' : keptText(name, kept))),
    draws: runs.map(({ draws }) => draws),
    due: timers.due().map((ms) => (Number.isFinite(ms) ? ms : -1)),
    started: runs.map(({ started }) => started),
  };
}

/** An engine that is made from the records alone is like this one: every strategy keeps, and nothing is under way that no record has. */
export function isWhole({ runs, orders, followUps, desk }: Engine): boolean {
  const isQuiet = followUps === 0 && !desk.holds && !desk.owes && orders.drafts.waiting.length === 0;
  const isPlain = orders.active().every((order) => order.condition === 0 && !(isUnderCancel(order) && order.state !== STATE.cancelSent));
  return isQuiet && isPlain && runs.every(({ kept }) => kept !== null);
}

/** Why the point is not one at which these strategies can begin; null: they can. Timers that `onStart` registers are not there again. */
export function objectionToPoint({ runs, timers }: Engine, { states, due }: KeptPoint): string | null {
  if (timers.due().length !== due.length) return 'timers were registered after construction';
  return runs.every(({ kept }, at) => (kept === null) === (states[at] === '')) ? null : 'not every strategy keeps what it has kept';
}

/** Strategies go on where they were; `atMs`: the instant of the point. Fields that are not kept have the value of the constructor. */
export function recallPoint({ runs, timers }: Engine, { states, draws, due, started }: KeptPoint, atMs: number): void {
  runs.forEach((run, at) => {
    for (let left = draws[at] ?? 0; left > 0; left--) run.random();
    run.started = started[at] ?? false;
    if (run.started) [run.awaitsRows, run.readyMs] = [false, atMs];
    const { kept } = run;
    if (kept === null) return;
    for (const key of Object.keys(kept)) Reflect.deleteProperty(kept, key);
    Object.assign(kept, JSON.parse(states[at]!, revived));
  });
  timers.recall(due.map((ms) => (ms < 0 ? Infinity : ms)));
}
