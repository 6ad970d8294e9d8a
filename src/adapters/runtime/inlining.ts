// Sets the inlining limits of the compiler, which affect speed but never results. Must be set before the first loop is compiled.

import { setFlagsFromString } from 'node:v8';

/** Limits of the compiler, in bytecodes. The names are those of its flags. */
interface InliningLimits {
  /** Functions up to this size are always inlined. */
  readonly small: number;
  /** Maximum total size of the functions that are inlined into one function. */
  readonly cumulative: number;
  /** No function is inlined into one that has reached this size. */
  readonly absolute: number;
}

/** For a loop that runs many times: everything that an order calls is inlined. Hot: docs/performance.md#inlining-sizes. */
const WIDE_LIMITS: InliningLimits = { small: 300, cumulative: 9_500, absolute: 30_000 };

/**
 * The compiler's defaults, except for `small`. Do not add the limit of a single function: lowering it may end the process. Hot:
 * docs/performance.md#inlining-sizes.
 */
const NARROW_LIMITS: InliningLimits = { small: 120, cumulative: 920, absolute: 4_600 };

/**
 * What is run, by how much of it is the loop over bars. A command makes one run in a process, code often several: both load bars and compute
 * figures as well. `loop`: little else, many times. `lanes`: simulation lanes.
 */
export type RunKind = 'command' | 'code' | 'loop' | 'lanes';

/** The limits for one version of the compiler; null: its defaults. */
type VersionLimits = Readonly<Record<RunKind, InliningLimits | null>>;

/** By major version of the virtual machine: 11 is in Node 20, 13 in Node 24. Versions that were not measured are absent. */
const LIMITS_BY_VERSION: Readonly<Record<number, VersionLimits>> = {
  11: { command: NARROW_LIMITS, code: NARROW_LIMITS, loop: WIDE_LIMITS, lanes: NARROW_LIMITS },
  13: { command: null, code: WIDE_LIMITS, loop: WIDE_LIMITS, lanes: null },
};

const limits: VersionLimits | undefined = LIMITS_BY_VERSION[Number.parseInt(process.versions.v8, 10)];

/**
 * Sets the limits for runs of a kind. Call it before a run; for lanes before their set-up, which is as hot as their orders. Compiling large
 * functions can cost more than it saves. Hot: docs/performance.md#inlining-sizes.
 */
export function inlineFor(kind: RunKind): void {
  const chosen = limits?.[kind] ?? null;
  if (chosen === null) return;
  for (const [name, size] of Object.entries(chosen)) setFlagsFromString(`--max-inlined-bytecode-size-${name}=${size}`);
}
