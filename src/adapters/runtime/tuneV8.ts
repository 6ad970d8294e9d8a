// Sets flags of the virtual machine, for a bot and for a command that makes one run. They affect speed and memory, never results.

import { setFlagsFromString } from 'node:v8';

const V8_MAJOR = Number.parseInt(process.versions.v8, 10);

/** Growth of old objects, in percent, before they are collected. Hot: docs/performance.md#heap-growth. */
const GROWTH_PERCENT = 30;

/** Optimises functions earlier than by default, because a bot decides only once a bar. Hot: docs/performance.md#early-compilation. */
const EARLY_OPTIMISATION_FLAG = V8_MAJOR <= 12 ? '--interrupt-budget=10000' : '--invocation-count-for-maglev=100';

/** Of Node 20, where they were measured. Hot: docs/performance.md#one-run. */
const ONE_RUN_FLAGS = V8_MAJOR === 11 ? ['--no-concurrent-osr', '--heap-growing-percent=400'] : [];

/**
 * For a process that runs for months, holds little memory and does little at a time. Call it first. An unknown flag is reported, and the
 * process continues.
 */
export function tuneV8(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
  setFlagsFromString(EARLY_OPTIMISATION_FLAG);
}

/**
 * For a process that makes one run in a thread: a small heap beside large arrays, and long loops that run once. Call it in the thread when its
 * modules are loaded: Node.js has compiled code of its built-in modules, which it discards under other flags. Hot: docs/performance.md#one-run.
 */
export function tuneForOneRun(): void {
  for (const flag of ONE_RUN_FLAGS) setFlagsFromString(flag);
}
