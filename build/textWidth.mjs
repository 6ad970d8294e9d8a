// @ts-check
// Replaces `string-width` in the bundled yargs. Its tables of emoji take 25 ms at each command, and the help texts contain no emoji.

/**
 * Returns the number of columns that a text without wide characters takes in a terminal.
 * @param {string} text
 */
export default (text) => text.length;
