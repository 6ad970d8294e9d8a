// Sets the inlining limits of the compiler, which affect speed but never results. Must be set before the first loop is compiled.

import { setFlagsFromString } from 'node:v8';

/** Limits in bytecodes: of a function that is always inlined, of all that is inlined into one, and beyond which nothing is inlined. */
interface Sizes {
  readonly small: number;
  readonly cumulative: number;
  readonly absolute: number;
}

/** For a process that may make many runs: everything that an order calls is inlined. Hot: docs/performance.md#inlining-sizes. */
const WIDE: Sizes = { small: 300, cumulative: 9_500, absolute: 30_000 };

/**
 * The defaults, but for `small`. Do not add the limit of a single function: to lower it may end the process. Hot:
 * docs/performance.md#inlining-sizes.
 */
const USUAL: Sizes = { small: 120, cumulative: 920, absolute: 4_600 };

/** What is set for a process that may make many runs, for one that makes one, and for lanes; null: the virtual machine's own sizes. */
interface Choice {
  readonly many: Sizes | null;
  readonly single: Sizes | null;
  readonly lanes: Sizes | null;
}

/** By major version of the virtual machine, only what was measured with it: 11 is in Node 20, 13 in Node 24. */
const CHOICES: Readonly<Record<number, Choice>> = {
  11: { many: WIDE, single: USUAL, lanes: USUAL },
  13: { many: WIDE, single: null, lanes: null },
};

const choice: Choice | undefined = CHOICES[Number.parseInt(process.versions.v8, 10)];

/**
 * Call it before a run. `isOnly`: the process makes no other run, so that the compiler's work on wide functions would not pay. Hot:
 * docs/performance.md#inlining-sizes.
 */
export function inlineForRuns(isOnly: boolean): void {
  apply((isOnly ? choice?.single : choice?.many) ?? null);
}

/** Call it before lanes: their set-up is as hot as their orders. Hot: docs/performance.md#inlining-sizes. */
export function inlineForLanes(): void {
  apply(choice?.lanes ?? null);
}

function apply(sizes: Sizes | null): void {
  if (sizes === null) return;
  for (const [name, size] of Object.entries(sizes)) setFlagsFromString(`--max-inlined-bytecode-size-${name}=${size}`);
}
