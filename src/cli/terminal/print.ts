// What a command prints on stdout: lines for people, or one JSON value for programs.

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

export function printLines(lines: readonly string[]): void {
  print(lines.join('\n'));
}

export function printJson(value: unknown): void {
  print(jsonText(value));
}

/** Without the end of the line. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
