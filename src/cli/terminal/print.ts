// What a command prints on stdout: lines for people, or one JSON value for programs.

import { sanitizeJson, terminalText } from '../../base/text/untrustedText.ts';

/** Names and texts of strangers may be in it: what a terminal would obey is escaped. */
export function print(text: string): void {
  process.stdout.write(`${terminalText(text)}\n`);
}

/** The same on stderr. */
export function printError(text: string): void {
  process.stderr.write(`${terminalText(text)}\n`);
}

export function printLines(lines: readonly string[]): void {
  print(lines.join('\n'));
}

export function printJson(value: unknown): void {
  process.stdout.write(`${sanitizeJson(jsonText(value))}\n`);
}

/** Without the end of the line. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
