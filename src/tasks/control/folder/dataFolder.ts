// Names of the files in a bot's data folder beside the journal, for the operator and the kill.

/** The control socket, mode 0600. */
export const SOCKET_NAME = 'control.sock';
/** The kill switch: while it exists, no order is sent and no bot starts, until the operator re-arms it. */
export const KILL_SWITCH_FILE = 'KILLED';
/** The operator's note of a re-arm. The next start journals it. */
export const REARM_NAME = 'REARMED';
/** Created by anyone to kill the bot: `touch KILL`. Contains `flatten`, or nothing. */
export const KILL_FILE_NAME = 'KILL';
/** The tokens of the dashboard, mode 0600. */
export const TOKEN_NAME = 'dashboard.json';
/** Exists while `isobar kill` works on this bot. Names its process. */
export const KILLING_NAME = 'KILLING';
