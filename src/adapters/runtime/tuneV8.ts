// Sets flags of the virtual machine for a bot. They affect speed and memory, never results.

import { setFlagsFromString } from 'node:v8';

const V8_MAJOR = Number.parseInt(process.versions.v8, 10);

/** Growth of old objects, in percent, before they are collected. Hot: docs/performance.md#heap-growth. */
const GROWTH_PERCENT = 30;

/** Optimises functions earlier than by default, because a bot decides only once a bar. Hot: docs/performance.md#early-compilation. */
const EARLY_OPTIMISATION_FLAG = V8_MAJOR <= 12 ? '--interrupt-budget=10000' : '--invocation-count-for-maglev=100';

/**
 * For a process that runs for months, holds little memory and does little at a time. Call it first. An unknown flag is reported, and the
 * process continues.
 */
export function tuneV8(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
  setFlagsFromString(EARLY_OPTIMISATION_FLAG);
}
