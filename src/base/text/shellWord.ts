// A word of a command as a shell takes it back, for the commands that messages and reports tell a person to run.

/** `text` as one word of a shell: as it is where nothing in it means something to one, else in single quotes. */
export function shellWord(text: string): string {
  return /^[\w.,:/=+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
