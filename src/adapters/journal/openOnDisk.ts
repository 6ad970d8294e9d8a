// The journal of a bot on the disk of this computer.

import { FileSystemDisk } from '../disk/fileSystemDisk.ts';
import { findProcess, thisProcess } from '../disk/processes.ts';
import { withDiskErrors, openJournal, type JournalOptions, type JournalDeps, type OpenedJournal } from './openJournal.ts';

/**
 * Makes the folder where there is none. Throws ConfigError where another process has it, where others than its user can reach it, and
 * where it is damaged or another account's.
 */
export function openJournalFolder(parts: Omit<JournalDeps, 'disk' | 'processes'>, options: JournalOptions): OpenedJournal {
  const disk = new FileSystemDisk();
  withDiskErrors(() => disk.prepare(options.folder));
  const self = thisProcess();
  const opened = openJournal({ ...parts, disk, processes: { self, findProcess: (other) => findProcess(other, self) } }, options);
  const release = (): void => {
    opened.release();
    disk.close();
  };
  return { ...opened, release };
}
