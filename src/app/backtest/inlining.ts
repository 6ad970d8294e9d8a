// How much the compiler puts into one function: heuristics of V8, never part of a result. Set before the first loop is compiled.

import { setFlagsFromString } from 'node:v8';

/**
 * Signals are read at every bar through a getter of some 50 bytecodes. V8 inlines functions of at most 27 whatever else it inlines; beyond
 * that the order path, which is inlined too, uses the budget up, and each read becomes a call: 15 ns a bar instead of 11 (2026-11-21, Node
 * 20, SMA 10/30 and 100/300 in the onBar form). What an order walks through is mostly below 120: it then takes 3 to 7 % less than with 64,
 * and with 260 no less again (2026-11-22).
 */
const SMALL = ['--max-inlined-bytecode-size-small=120'];

/**
 * An order walks through some 170 small functions. At each call that is not inlined every number is boxed and unboxed and every object's
 * shape is looked at again: with much room an order costs 100 ns less. Room for all of them does harm: then what is rare is taken in where
 * a loop is hot, and what an order needs stays outside (instructions of 25 bars and an order with 5,000, 5,700, 6,000, 6,250, 7,000: 7,670,
 * 7,730, 7,590, 7,590, 7,800). So does room for single functions of more than V8's own 460 bytecodes (2026-11-23).
 *
 * The absolute size is where V8 stops to take in even the smallest function: at 4,600 by itself, so that what was looked at last, however
 * short, remained a call. It is far away here.
 */
const WIDE = ['--max-inlined-bytecode-size-cumulative=6100', '--max-inlined-bytecode-size-absolute=30000'];

/**
 * What V8 has by itself (`node --v8-options`). The size of a single function stays as it is: V8 ends the process where that one becomes
 * smaller while a function is being compiled.
 */
const USUAL = ['--max-inlined-bytecode-size-cumulative=920', '--max-inlined-bytecode-size-absolute=4600'];

/**
 * Before the runs of a process that may make many. The only one of a command is over before the compiler's work on wide functions comes
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

function apply(sizes: readonly string[]): void {
  for (const flag of [...SMALL, ...sizes]) setFlagsFromString(flag);
}
