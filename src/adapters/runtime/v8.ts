// Sets V8 flags for a bot: a process that runs for months, holds little memory and does little at a time.

import { setFlagsFromString } from 'node:v8';

/**
 * Growth of old objects, in percent, before they are collected. Left to itself, V8 lets a heap that holds 28 MB grow to 90 MB and more
 * before it looks, and a little further each time; with this it looks every few seconds, for some ms, and memory stays where it is.
 */
const GROWTH_PERCENT = 30;

/**
 * How soon a function is worth optimising. A bot decides once a bar: by V8's own measure its code would take days until it runs fast, and
 * an order waits for it. With this an order costs a quarter less CPU time after the first hundreds. Up to V8 12 the measure is bytes of
 * bytecode that were run (its own: 67,584); later calls, until the first of two compilers that optimise takes a function (its own: 400).
 */
const SOON = Number.parseInt(process.versions.v8, 10) <= 12 ? '--interrupt-budget=10000' : '--invocation-count-for-maglev=100';

/** Call it first. A V8 that does not know a flag reports that and continues. */
export function tuneV8(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
  setFlagsFromString(SOON);
}
