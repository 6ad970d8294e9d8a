// Which process this is, and whether another one still runs: by more than its number, which the system gives out again.

import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Names one process for ever: no later one has the same. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, in ticks since the system did; '0' where the system does not tell. */
  readonly started: string;
  /** Numbers of processes mean something only among those that share it: one for each container. */
  readonly namespace: string;
  /** Changes with each start of the system. */
  readonly boot: string;
  readonly host: string;
}

const UNTOLD = '0';

export function thisProcess(): ProcessIdentity {
  const boot = textOf('/proc/sys/kernel/random/boot_id');
  return {
    pid: process.pid,
    started: statOf(process.pid)?.started ?? UNTOLD,
    namespace: namespaceOf(),
    boot: boot?.replace(/[^0-9a-f]/g, '').slice(0, 12) ?? UNTOLD,
    host: hostname(),
  };
}

/** 'unknown' for one that cannot be seen from here: on another computer, in another container. */
export function findProcess(other: ProcessIdentity, self: ProcessIdentity = thisProcess()): 'running' | 'gone' | 'unknown' {
  if (other.host !== self.host) return 'unknown';
  // Told by both: then this computer has started anew since, and nothing of before runs.
  if (other.boot !== self.boot) return other.boot === UNTOLD || self.boot === UNTOLD ? 'unknown' : 'gone';
  if (other.namespace !== self.namespace) return 'unknown';
  if (!isThere(other.pid)) return 'gone';
  const found = statOf(other.pid);
  if (!found || other.started === UNTOLD) return 'running';
  // A dead one whose parent has not noticed runs no more.
  return found.started === other.started && !'ZX'.includes(found.state) ? 'running' : 'gone';
}

/** A process of this number runs on this computer, whosever it is. */
export function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Null where the system tells nothing about processes, or not about this one. */
function statOf(pid: number): { readonly state: string; readonly started: string } | null {
  // The name of the program, in brackets, may hold anything.
  const fields = textOf(`/proc/${pid}/stat`)
    ?.replace(/^.*\) /s, '')
    .split(' ');
  const [state, started] = [fields?.[0], fields?.[19]];
  return state === undefined || started === undefined ? null : { state, started };
}

function namespaceOf(): string {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? UNTOLD;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return UNTOLD;
    throw error;
  }
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if (error instanceof Error && 'code' in error) return null;
    throw error;
  }
}
