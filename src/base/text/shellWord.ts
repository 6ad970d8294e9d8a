// Quotes a word for a shell, for the commands that messages and reports suggest.

/** Returns `text` as one word of a shell: unchanged without special characters, otherwise in single quotes. */
export function shellWord(text: string): string {
  return /^[\w.,:/=+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
