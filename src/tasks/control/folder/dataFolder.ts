// Names of the files in a bot's data folder, except the journal.

/** The control socket, mode 0600. */
export const SOCKET_NAME = 'control.sock';
/** The kill switch: while it exists, no order is sent and no bot starts, until the operator re-arms it. */
export const KILL_SWITCH_FILE = 'KILLED';
/** A re-arming by the operator. The next start journals it. */
export const REARM_NAME = 'REARMED';
/** Kills the bot when it appears: `touch KILL`. It is empty or contains `flatten`. */
export const KILL_FILE_NAME = 'KILL';
/** The tokens of the dashboard, mode 0600. */
export const TOKEN_NAME = 'dashboard.json';
/** Exists while `isobar kill` works on this bot, and names the process of the kill. */
export const KILLING_NAME = 'KILLING';
/** Has the lock of the kill that closes the positions of this bot. */
export const KILL_TURN_NAME = 'kill.lock';
