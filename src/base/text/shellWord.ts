// Quotes a word for a shell, for the commands that messages and reports suggest to the user.

/** Returns `text` as one word of a shell: unchanged if it has no special characters, else in single quotes. */
export function shellWord(text: string): string {
  return /^[\w.,:/=+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
