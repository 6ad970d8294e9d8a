// The reject file of an import: each bad row on one line, with its file, place and reason.

import { existsSync, rmSync } from 'node:fs';
import { ConfigError } from '../../../base/errors.ts';
import { readCatalogFile, writeText } from '../bars/catalog.ts';
import type { Reject } from '../rows/rowCollector.ts';

const HEADER = 'file,line,reason,text';

/**
 * Writes the rejects of `files` to the reject file at `path`, replacing earlier ones of the same files. Removes the file if no rows remain.
 */
export function writeRejects(path: string, files: readonly { readonly name: string; readonly rejects: readonly Reject[] }[]): void {
  const names = new Set(files.map(({ name }) => name));
  const before = linesOf(path);
  const kept = before.filter((line) => !names.has(firstCell(line)));
  const added = files.flatMap(({ name, rejects }) =>
    rejects.map(({ line, reason, text }) => [name, String(line), reason, text].map(cell).join(',')),
  );
  if (kept.length + added.length > 0) writeText(path, `${[HEADER, ...kept, ...added].join('\n')}\n`);
  else if (before.length > 0) rmSync(path);
}

/** Returns the rows of an existing reject file. Throws ConfigError for any other file, which must not be overwritten. */
function linesOf(path: string): string[] {
  if (!existsSync(path)) return [];
  const [header, ...lines] = readCatalogFile(path).split('\n');
  if (header === HEADER) return lines.slice(0, -1);
  throw new ConfigError(`${path}: there is a file that is not a reject file of isobar`, 'name another place by --rejects FILE');
}

/** Returns a cell without line breaks, so that each row is one line. */
function cell(text: string): string {
  const line = text.replaceAll(/[\r\n]+/g, ' ');
  return /[",]/.test(line) ? `"${line.replaceAll('"', '""')}"` : line;
}

function firstCell(line: string): string {
  const quoted = /^"((?:[^"]|"")*)"/.exec(line)?.[1];
  return quoted === undefined ? line.slice(0, line.indexOf(',')) : quoted.replaceAll('""', '"');
}
