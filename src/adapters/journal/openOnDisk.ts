// The journal of a bot on the disk of this computer.

import { FileSystemDisk } from '../disk/fileSystemDisk.ts';
import { lookFor, thisProcess } from '../disk/processes.ts';
import { disked, openJournal, type JournalOptions, type JournalParts, type OpenedJournal } from './openJournal.ts';

/**
 * Makes the folder where there is none. Throws ConfigError where another process has it, where others than its user can reach it, and
 * where it is damaged or another account's.
 */
export function openJournalFolder(parts: Omit<JournalParts, 'disk' | 'processes'>, options: JournalOptions): OpenedJournal {
  const disk = new FileSystemDisk();
  disked(() => disk.prepare(options.folder));
  const self = thisProcess();
  const opened = openJournal({ ...parts, disk, processes: { self, lookFor: (other) => lookFor(other, self) } }, options);
  const release = (): void => {
    opened.release();
    disk.close();
  };
  return { ...opened, release };
}
