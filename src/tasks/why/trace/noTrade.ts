// Returns why a strategy placed no order at a bar: for each `when` the first operand that is not true, or what its callbacks read.

import type { ExplainedCall, ExplainedWhen } from '../model/explanation.ts';

/** Callbacks in which a strategy can place orders. */
const DECIDING_CALLBACKS = ['onBar', 'every', 'at', 'cron', 'onFill', 'onOrder', 'onStart'];

/** Returns the reasons, at least one. `enteredCallbacks`: names of the callbacks that were called at the bar. */
export function noTradeReasons(
  waits: string | null,
  when: readonly ExplainedWhen[],
  calls: readonly ExplainedCall[],
  enteredCallbacks: ReadonlySet<string>,
): readonly string[] {
  if (waits !== null) return [waits];
  const reasons = when.map((condition) => whenReason(condition, calls));
  for (const name of DECIDING_CALLBACKS) if (enteredCallbacks.has(name)) reasons.push(callbackReason(name, calls));
  return reasons.length > 0 ? reasons : ['none of its callbacks was called at this bar'];
}

/** Returns why a condition of `when` led to no order. */
function whenReason({ number, text, fired, firstFalse, state }: ExplainedWhen, calls: readonly ExplainedCall[]): string {
  const name = `when ${number}`;
  if (fired) return callbackReason(name, calls);
  if (firstFalse === null) return `${name}: ${text} is true, and its handler was not called at this bar`;
  const part = firstFalse === text ? text : `${firstFalse}, the first operand that is not true,`;
  return `${name}: ${part} is ${state === 'not-ready' ? 'not ready' : 'false'}`;
}

/** Returns what a callback requested and read without placing an order. */
function callbackReason(name: string, calls: readonly ExplainedCall[]): string {
  const callsOfCallback = calls.filter(({ during }) => during === name);
  const requests = callsOfCallback.filter(({ kind, text }) => kind === 'call' && !text.startsWith('log('));
  if (requests.length > 0) return `${name} was called, asked for ${requests.map(({ text }) => text).join(', ')}, and no order followed`;
  const reads = callsOfCallback.filter(({ kind }) => kind === 'read').map(({ text, result }) => `${text} = ${result}`);
  return `${name} was called and asked for nothing; it read ${reads.length > 0 ? reads.join(', ') : 'nothing'}`;
}
