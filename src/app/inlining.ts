// How much the compiler puts into one function: heuristics of V8, never part of a result. Set before the first loop is compiled.

import { setFlagsFromString } from 'node:v8';

/**
 * Signals are read at every bar through a getter of some 50 bytecodes. V8 inlines functions of at most 27 whatever else it inlines; beyond
 * that the order path, which is inlined too, uses the budget up, and each read becomes a call: 15 ns a bar instead of 11 (2026-11-21, Node
 * 20, SMA 10/30 and 100/300 in the onBar form).
 */
const SMALL = ['--max-inlined-bytecode-size-small=64'];

/**
 * An order walks through some 170 small functions. At each call that is not inlined every number is boxed and unboxed and every object's
 * shape is looked at again: with room for all of them an order costs 100 ns less.
 */
const LONG_RUN = ['--max-inlined-bytecode-size=1000', '--max-inlined-bytecode-size-cumulative=4000'];

/** The sizes that V8 has by itself: `node --v8-options` names them. */
const MANY_RUNS = ['--max-inlined-bytecode-size=460', '--max-inlined-bytecode-size-cumulative=920'];

/** Of a run by itself, whose orders all take the same path. */
export function inlineForOneRun(): void {
  for (const flag of [...SMALL, ...LONG_RUN]) setFlagsFromString(flag);
}

/**
 * Of many short ones: their set-up is as hot as their orders, and each of its functions that takes in all that it calls costs the compiler
 * 100 ms and more, on a core that other sets could use. With V8's own sizes the compiler is done with half of the work.
 */
export function inlineForLanes(): void {
  for (const flag of [...SMALL, ...MANY_RUNS]) setFlagsFromString(flag);
}
