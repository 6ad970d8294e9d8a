// The file in a data folder that marks a running kill. The command of a demo reads it, and keeps its exchange open until the kill has ended.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { ignoreSystemErrors } from '../../../adapters/disk/fileError.ts';
import { findProcess, thisProcess, type ProcessIdentity } from '../../../adapters/disk/processes.ts';
import { replaceFile } from '../../../adapters/disk/ownFile.ts';
import { readRegularFile } from '../../../adapters/disk/regularFile.ts';
import { KILLING_NAME } from '../../control/folder/dataFolder.ts';

/**
 * Marks a folder until the returned function is called: this process kills its bot. Of two kills at once, the later one has the mark. A
 * folder that cannot be written gets no mark.
 */
export function markKilling(folder: string): () => void {
  const path = join(folder, KILLING_NAME);
  const self = thisProcess();
  // Replace the file atomically: a partial one would count as no mark.
  const isWritten = ignoreSystemErrors(() => replaceFile(path, `${JSON.stringify(self)}\n`));
  return () => {
    if (isWritten && killerIn(path)?.pid === self.pid) ignoreSystemErrors(() => rmSync(path, { force: true }));
  };
}

/** True while a kill works on the bot of a folder. The mark of a dead process does not count. */
export function isKilling(folder: string): boolean {
  const killer = killerIn(join(folder, KILLING_NAME));
  return killer !== null && findProcess(killer) === 'running';
}

/** Returns the process of a mark; null: no valid mark. */
function killerIn(path: string): ProcessIdentity | null {
  try {
    const parsed: unknown = JSON.parse(readRegularFile(path).toString('utf8'));
    return typeof parsed === 'object' && parsed !== null && 'pid' in parsed ? (parsed as ProcessIdentity) : null;
  } catch (error) {
    if (error instanceof SyntaxError || (error instanceof Error && 'code' in error)) return null;
    throw error;
  }
}
