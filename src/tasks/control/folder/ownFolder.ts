// The data folder of a bot as its start finds it: its user's alone, and nothing in it that others could have put there.

import { FileSystemDisk } from '../../../adapters/disk/fileSystemDisk.ts';
import { checkEntries } from '../../../adapters/disk/ownFile.ts';
import { withDiskErrors } from '../../../adapters/journal/openJournal.ts';
import { KILL_FILE_NAME, REARM_NAME, TOKEN_NAME } from './dataFolder.ts';

/** What a bot makes and reads there; all else is not looked at, links excepted. */
const OWN_NAMES = ['journal', 'bot.json', 'account.confirmed', REARM_NAME, TOKEN_NAME];

/**
 * Makes the folder where there is none. Throws ConfigError where others than its user can reach it or what a bot keeps in it, and for a
 * symbolic link: who can write there can send orders in the bot's name, or hide its journal. The kill file may be anything.
 */
export function prepareDataFolder(folder: string): void {
  withDiskErrors(() => new FileSystemDisk().prepare(folder));
  checkEntries(folder, { own: OWN_NAMES, free: [KILL_FILE_NAME] });
}
