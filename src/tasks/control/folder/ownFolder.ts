// Prepares the data folder of a bot at its start and checks that only its user can access it.

import { FileSystemDisk } from '../../../adapters/disk/fileSystemDisk.ts';
import { checkEntries } from '../../../adapters/disk/ownFile.ts';
import { withDiskErrors } from '../../../adapters/journal/openJournal.ts';
import { KILL_FILE_NAME, REARM_NAME, TOKEN_NAME } from './dataFolder.ts';

/** Names that a bot creates and reads. Other names are not checked, except for links. */
const OWN_NAMES = ['journal', 'bot.json', 'account.confirmed', REARM_NAME, TOKEN_NAME];

/**
 * Creates the folder if it does not exist. Throws ConfigError for a symbolic link, and if other users can access the folder or the bot's
 * files in it. Other users could send orders in the bot's name or hide its journal. The kill file may be of any kind.
 */
export function prepareDataFolder(folder: string): void {
  withDiskErrors(() => new FileSystemDisk().prepare(folder));
  checkEntries(folder, { own: OWN_NAMES, free: [KILL_FILE_NAME] });
}
