// Names of what a bot keeps in its data folder beside the journal: where people, and the kill, find it.

/** The control socket, mode 0600. */
export const SOCKET_NAME = 'control.sock';
/** The latch: while it is there no order leaves, and no start goes on, until a person has re-armed. */
export const KILL_SWITCH_FILE = 'KILLED';
/** What a person said who took the latch away; the next start puts it into the journal. */
export const REARM_NAME = 'REARMED';
/** Made by anybody who wants the bot to stop: `touch KILL`; holds `flatten`, or nothing. */
export const KILL_FILE_NAME = 'KILL';
/** The tokens of the dashboard, mode 0600. */
export const TOKEN_NAME = 'dashboard.json';
/** There while `isobar kill` works on this bot: names its process. */
export const KILLING_NAME = 'KILLING';
