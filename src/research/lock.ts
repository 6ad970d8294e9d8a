// One process at a time works on a sweep: a file beside its ledger names the process, and one left by a dead process counts for nothing.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '../base/errors.ts';
import type { SweepHeader } from './ledgerLine.ts';

/** Takes the lock of a sweep; the returned function gives it back. Throws ConfigError while another process has it. */
export function lockLedger(folder: string, { name, id }: Pick<SweepHeader, 'name' | 'id'>): () => void {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${name}-${id.slice(0, 12)}.lock`);
  const own = JSON.stringify({ pid: process.pid, host: hostname() });
  for (;;) {
    try {
      writeFileSync(file, own, { flag: 'wx' });
      return () => rmSync(file, { force: true });
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
    const holder = holderOf(file);
    if (holder !== null && isAlive(holder)) {
      throw new ConfigError(
        `${file}: another process (${holder.pid} on ${holder.host}) works on this sweep`,
        'wait for it; if it is gone, remove the file',
      );
    }
    rmSync(file, { force: true });
  }
}

interface Holder {
  readonly pid: number;
  readonly host: string;
}

/** Who holds the lock; null when its file is gone or was cut. */
function holderOf(file: string): Holder | null {
  try {
    const { pid, host } = JSON.parse(readFileSync(file, 'utf8')) as Partial<Holder>;
    return typeof pid === 'number' && typeof host === 'string' ? { pid, host } : null;
  } catch (error) {
    if (error instanceof SyntaxError || (error instanceof Error && 'code' in error && error.code === 'ENOENT')) return null;
    throw error;
  }
}

function isAlive({ pid, host }: Holder): boolean {
  if (host !== hostname()) return true;
  // In a container the next process may get the number of the dead one: it is this one, which does not hold the lock.
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
