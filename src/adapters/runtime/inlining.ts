// Sets V8's inlining limits, which affect speed but never results. Must be set before the first loop is compiled.

import { setFlagsFromString } from 'node:v8';

/** Bytecodes: of functions that are always taken in, of all that are, and where even those are not any more. */
interface Sizes {
  readonly small: number;
  readonly cumulative: number;
  readonly absolute: number;
}

/**
 * An order walks through some 170 small functions. At each call that is not inlined every number is boxed and unboxed and every object's
 * shape is looked at again. A bar of SMA 10/30, with an order every 26, takes 18.8 ns with room for 5,500 bytecodes, 18.4 with 7,500, 18.1
 * with 9,500. Room for single functions of more than V8's own 460 does harm: then what is rare is taken in where a loop is hot,
 * and what an order needs stays outside. Small functions are taken in whatever the room: that bar takes 21.6 ns where 60 bytecodes are
 * small, 20.3 with 120, 19.4 with 200, 19.0 with 300, and with 460 no less (median of seven processes over 100,000 bars, 2026-11-23).
 *
 * The absolute size is where V8 stops to take in even the smallest function: at 4,600 by itself, so that what was looked at last, however
 * short, remained a call. It is far away here.
 */
const WIDE: Sizes = { small: 300, cumulative: 9_500, absolute: 30_000 };

/**
 * What V8 has by itself (`node --v8-options`), but for the small ones. Signals are read at every bar through a getter of some 50 bytecodes,
 * and V8 has 27 as small: beyond that the order path uses the room up, and each read becomes a call, 15 ns a bar instead of 11 (2026-11-21,
 * Node 20, SMA 10/30 and 100/300 in the onBar form). The size of a single function stays as it is: V8 ends the process where that one
 * becomes smaller while a function is being compiled.
 */
const USUAL: Sizes = { small: 120, cumulative: 920, absolute: 4_600 };

/**
 * Before the runs of a process that may make many. The only run of a command has ended before the compiler's work on wide functions comes
 * back: over a million bars its loop takes 0.3 s with the usual sizes and 0.45 s with the others (2026-11-22, Node 20).
 */
export function inlineForRuns(isOnly: boolean): void {
  apply(isOnly ? USUAL : WIDE);
}

/**
 * Before lanes: their set-up is as hot as their orders, and each of its functions that takes in all that it calls costs the compiler
 * 100 ms and more, on a core that other sets could use. With the usual sizes the compiler is done with half of the work.
 */
export function inlineForLanes(): void {
  apply(USUAL);
}

function apply(sizes: Sizes): void {
  for (const [name, size] of Object.entries(sizes)) setFlagsFromString(`--max-inlined-bytecode-size-${name}=${size}`);
}
