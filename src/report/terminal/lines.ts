// Writes lines for a terminal: their maximum width, colours, and text that wraps after a label.

/** Maximum width of a line. Terminals of common width do not wrap it. */
export const COLUMNS = 100;

const COLOUR_CODES = { red: 31, green: 32, amber: 33, cyan: 36, grey: 90 } as const;
/** Name of a text colour of the terminal. */
export type Hue = keyof typeof COLOUR_CODES;

/** Returns true when `stream` is a terminal and NO_COLOR (https://no-color.org) is not set. */
export function wantsColour(stream: { readonly isTTY?: boolean }, env: Readonly<Record<string, string | undefined>>): boolean {
  return stream.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
}

/** Returns text in a colour (ANSI). */
export function colourText(text: string, hue: Hue): string {
  return `\u001b[${COLOUR_CODES[hue]}m${text}\u001b[39m`;
}

/** Returns text after a label. It breaks only between words, so that a path stays whole. Later lines align with the first word. */
export function withLead(lead: string, text: string): string[] {
  const lines: string[] = [];
  let line = lead;
  for (const word of text.split(' ')) {
    if (line.length + word.length > COLUMNS && line.trim() !== '' && line !== lead) {
      lines.push(line.trimEnd());
      line = ' '.repeat(lead.length);
    }
    line += `${word} `;
  }
  return [...lines, line.trimEnd()];
}
