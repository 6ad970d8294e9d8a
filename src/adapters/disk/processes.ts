// Identifies this process, and finds out whether another one still runs. A process id alone is not enough, because the system reuses it.

import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Identifies one process; no later one is the same. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Start time in ticks since system start; '0' if the system does not report it. */
  readonly started: string;
  /** The pid namespace: one for each container. Process ids are comparable only within one. */
  readonly namespace: string;
  /** Changes with each start of the system. */
  readonly boot: string;
  readonly host: string;
}

/** Stands for a fact that the system does not report. */
const UNREPORTED = '0';

/** Returns the identity of this process. */
export function thisProcess(): ProcessIdentity {
  const boot = textOf('/proc/sys/kernel/random/boot_id');
  return {
    pid: process.pid,
    started: statOf(process.pid)?.started ?? UNREPORTED,
    namespace: namespaceOf(),
    boot: boot?.replace(/[^0-9a-f]/g, '').slice(0, 12) ?? UNREPORTED,
    host: hostname(),
  };
}

/** Finds out whether the process still runs. Returns `unknown` for one on another computer or in another container. */
export function findProcess(other: ProcessIdentity, self: ProcessIdentity = thisProcess()): 'running' | 'gone' | 'unknown' {
  if (other.host !== self.host) return 'unknown';
  // If both are known, this computer has restarted since, so no earlier process runs.
  if (other.boot !== self.boot) return other.boot === UNREPORTED || self.boot === UNREPORTED ? 'unknown' : 'gone';
  if (other.namespace !== self.namespace) return 'unknown';
  if (!isProcessRunning(other.pid)) return 'gone';
  const processStat = statOf(other.pid);
  if (!processStat || other.started === UNREPORTED) return 'running';
  // A zombie process no longer runs.
  return processStat.started === other.started && !'ZX'.includes(processStat.state) ? 'running' : 'gone';
}

/** True if a process with this id runs on this computer, whichever user owns it. */
export function isProcessRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Returns the state and start time of a process; null if the system does not report them. */
function statOf(pid: number): { readonly state: string; readonly started: string } | null {
  // The program name, in parentheses, may contain any character.
  const fields = textOf(`/proc/${pid}/stat`)
    ?.replace(/^.*\) /s, '')
    .split(' ');
  const state = fields?.[0];
  const started = fields?.[19];
  return state === undefined || started === undefined ? null : { state, started };
}

/** Returns the id of this process's pid namespace, because two containers can have equal process ids. */
function namespaceOf(): string {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? UNREPORTED;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return UNREPORTED;
    throw error;
  }
}

/** Returns the trimmed text of a file; null if it cannot be read. */
function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if (error instanceof Error && 'code' in error) return null;
    throw error;
  }
}
