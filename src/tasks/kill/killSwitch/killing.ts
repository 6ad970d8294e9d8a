// The sign that a kill is at work on a data folder: an exchange that a demonstration hosts stays open until the kill is through.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { findProcess, thisProcess, type ProcessIdentity } from '../../../adapters/disk/processes.ts';
import { replaceFile } from '../../../adapters/disk/ownFile.ts';
import { readRegular } from '../../../adapters/disk/regularFile.ts';
import { KILLING_NAME } from '../../control/folder/dataFolder.ts';

/**
 * Says that this process kills the bot of a folder, until the returned function is called; of two kills at once the later one bears the
 * sign. A folder that cannot be written bears no sign.
 */
export function printKilling(folder: string): () => void {
  const path = join(folder, KILLING_NAME);
  const self = thisProcess();
  // Whole as soon as it is there: half a sign would read as none.
  const isText = quietly(() => replaceFile(path, `${JSON.stringify(self)}\n`));
  return () => {
    if (isText && killerIn(path)?.pid === self.pid) quietly(() => rmSync(path, { force: true }));
  };
}

/** True while a kill works on the bot of a folder; one that has died works no more. */
export function isKilling(folder: string): boolean {
  const killer = killerIn(join(folder, KILLING_NAME));
  return killer !== null && findProcess(killer) === 'running';
}

/** Null where there is no such sign. */
function killerIn(path: string): ProcessIdentity | null {
  try {
    const found: unknown = JSON.parse(readRegular(path).toString('utf8'));
    return typeof found === 'object' && found !== null && 'pid' in found ? (found as ProcessIdentity) : null;
  } catch (error) {
    if (error instanceof SyntaxError || (error instanceof Error && 'code' in error)) return null;
    throw error;
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
