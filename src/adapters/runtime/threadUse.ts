// Reads how much processor time a thread of this process has used, and whether it waits for a processor. Only Linux says so.

import { readFileSync, readlinkSync } from 'node:fs';

/** Milliseconds of a unit in which Linux counts processor time for programs: it is the same on all machines. */
const TICK_MS = 10;
/** Indices of the fields after the name of the thread in its line of status. */
const STATE_FIELD = 0;
const USER_FIELD = 11;
const SYSTEM_FIELD = 12;

/** What a thread has done. */
export interface ThreadUse {
  /** Processor time since the thread began, ms. */
  readonly cpuMs: number;
  /** True when it waits for something other than a processor or a disk, such as for another thread. */
  readonly isAsleep: boolean;
}

/** Returns the number of this thread at the operating system; 0 where the system does not say. */
export function threadNumber(): number {
  try {
    return Number(readlinkSync('/proc/thread-self').split('/').at(-1));
  } catch {
    return 0;
  }
}

/** Returns what a thread of this process has done; null where the system does not say. `thread`: its number at the operating system. */
export function threadUse(thread: number): ThreadUse | null {
  if (thread === 0) return null;
  try {
    const text = readFileSync(`/proc/self/task/${thread}/stat`, 'latin1');
    // The name before the last parenthesis may hold anything.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const cpuMs = TICK_MS * (Number(fields[USER_FIELD]) + Number(fields[SYSTEM_FIELD]));
    return Number.isFinite(cpuMs) ? { cpuMs, isAsleep: !/[RD]/.test(fields[STATE_FIELD]!) } : null;
  } catch {
    return null;
  }
}
