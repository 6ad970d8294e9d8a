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

/** For a process that may make many runs: everything that an order calls is inlined. Hot: docs/performance.md#inlining-sizes. */
const WIDE_LIMITS: InliningLimits = { small: 300, cumulative: 9_500, absolute: 30_000 };

/**
 * The compiler's defaults, except for `small`. Do not add the limit of a single function: lowering it may end the process. Hot:
 * docs/performance.md#inlining-sizes.
 */
const NARROW_LIMITS: InliningLimits = { small: 120, cumulative: 920, absolute: 4_600 };

/** The limits for one version of the compiler; null: its defaults. */
interface VersionLimits {
  /** For a process that may make many runs. */
  readonly manyRuns: InliningLimits | null;
  /** For a process that makes one run. */
  readonly singleRun: InliningLimits | null;
  /** For simulation lanes. */
  readonly lanes: InliningLimits | null;
}

/** By major version of the virtual machine: 11 is in Node 20, 13 in Node 24. Versions that were not measured are absent. */
const LIMITS_BY_VERSION: Readonly<Record<number, VersionLimits>> = {
  11: { manyRuns: WIDE_LIMITS, singleRun: NARROW_LIMITS, lanes: NARROW_LIMITS },
  13: { manyRuns: WIDE_LIMITS, singleRun: null, lanes: null },
};

const limits: VersionLimits | undefined = LIMITS_BY_VERSION[Number.parseInt(process.versions.v8, 10)];

/**
 * Sets the limits for runs. Call it before a run. `isOnly`: the process makes no other run, so compiling large functions would cost more
 * than it saves. Hot: docs/performance.md#inlining-sizes.
 */
export function inlineForRuns(isOnly: boolean): void {
  apply((isOnly ? limits?.singleRun : limits?.manyRuns) ?? null);
}

/** Sets the limits for lanes. Call it before their set-up, which is as hot as their orders. Hot: docs/performance.md#inlining-sizes. */
export function inlineForLanes(): void {
  apply(limits?.lanes ?? null);
}

/** Sets the flags of the compiler. Null leaves its defaults. */
function apply(chosen: InliningLimits | null): void {
  if (chosen === null) return;
  for (const [name, size] of Object.entries(chosen)) setFlagsFromString(`--max-inlined-bytecode-size-${name}=${size}`);
}
