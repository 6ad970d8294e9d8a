// Opens the journal of a bot on the disk of this computer.

import { FileSystemDisk } from '../disk/fileSystemDisk.ts';
import { findProcess, thisProcess } from '../disk/processes.ts';
import { withDiskErrors, openJournal, type JournalOptions, type JournalDeps, type OpenedJournal } from './openJournal.ts';

/**
 * Opens the journal, and creates its folder if it is missing. Throws ConfigError if another process has it, if other users can access it,
 * if it is damaged, or if it belongs to another account.
 */
export function openJournalFolder(deps: Omit<JournalDeps, 'disk' | 'processes'>, options: JournalOptions): OpenedJournal {
  const disk = new FileSystemDisk();
  withDiskErrors(() => disk.prepare(options.folder));
  const self = thisProcess();
  const openedJournal = openJournal({ ...deps, disk, processes: { self, findProcess: (other) => findProcess(other, self) } }, options);
  const release = (): void => {
    openedJournal.release();
    disk.close();
  };
  return { ...openedJournal, release };
}
