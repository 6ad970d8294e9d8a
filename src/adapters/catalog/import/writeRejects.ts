// Writes the reject file of an import: each bad row on one line, with its file, place and reason.

import { existsSync, rmSync } from 'node:fs';
import { ConfigError } from '../../../base/errors.ts';
import { readCatalogFile, writeCatalogFile } from '../bars/catalog.ts';
import type { Reject } from '../rows/rowCollector.ts';

const HEADER = 'file,line,reason,text';

/**
 * Writes the rejects of `files` to the reject file at `path`, replacing earlier ones of the same files. Removes the file if no rows remain.
 */
export function writeRejects(path: string, files: readonly { readonly name: string; readonly rejects: readonly Reject[] }[]): void {
  const names = new Set(files.map(({ name }) => name));
  const earlierLines = linesOf(path);
  const keptLines = earlierLines.filter((line) => !names.has(firstCell(line)));
  const newLines = files.flatMap(({ name, rejects }) =>
    rejects.map(({ line, reason, text }) => [name, String(line), reason, text].map(cellText).join(',')),
  );
  if (keptLines.length + newLines.length > 0) writeCatalogFile(path, `${[HEADER, ...keptLines, ...newLines].join('\n')}\n`);
  else if (earlierLines.length > 0) rmSync(path);
}

/** Returns the rows of an existing reject file. Throws ConfigError for any other file, which must not be overwritten. */
function linesOf(path: string): string[] {
  if (!existsSync(path)) return [];
  const [header, ...lines] = readCatalogFile(path).split('\n');
  if (header === HEADER) return lines.slice(0, -1);
  throw new ConfigError(`${path}: there is a file that is not a reject file of isobar`, 'name another place by --rejects FILE');
}

/** Returns the text of a cell, quoted if needed and without line breaks, so that each row is one line. */
function cellText(text: string): string {
  const line = text.replaceAll(/[\r\n]+/g, ' ');
  return /[",]/.test(line) ? `"${line.replaceAll('"', '""')}"` : line;
}

/** Returns the first cell of a line without its quotes. */
function firstCell(line: string): string {
  const quoted = /^"((?:[^"]|"")*)"/.exec(line)?.[1];
  return quoted === undefined ? line.slice(0, line.indexOf(',')) : quoted.replaceAll('""', '"');
}
