// The sign that a kill is at work on a data folder: an exchange that a demonstration hosts stays open until the kill is through.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lookFor, thisProcess, type ProcessIdentity } from '../../../adapters/disk/processes.ts';
import { KILLING_NAME } from '../../control/dataFolder.ts';

/** Says that this process kills the bot of a folder, until the returned function is called. A folder that cannot be written bears no sign. */
export function sayKilling(folder: string): () => void {
  const path = join(folder, KILLING_NAME);
  const isSaid = quietly(() => {
    rmSync(path, { force: true });
    writeFileSync(path, `${JSON.stringify(thisProcess())}\n`, { mode: 0o600, flag: 'wx' });
  });
  return () => {
    if (isSaid) quietly(() => rmSync(path, { force: true }));
  };
}

/** True while a kill works on the bot of a folder; one that has died works no more. */
export function isKilling(folder: string): boolean {
  try {
    const found = JSON.parse(readFileSync(join(folder, KILLING_NAME), 'utf8')) as ProcessIdentity;
    return lookFor(found) === 'running';
  } catch {
    return false;
  }
}

function quietly(act: () => void): boolean {
  try {
    act();
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false;
    throw error;
  }
}
