// Names places in the built package as places in the sources, by the maps beside the built files.

import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';
import { builtUrl } from '../../base/inPackage.ts';

const BUILT = builtUrl('index').href.slice(0, -'index.js'.length);
const PLACE_PATTERN = /(file:\/\/[^\s()?]+\.js)(?:\?[^\s():]*)?:(\d+):(\d+)/g;

/**
 * Returns the text of a stack with `src/….ts:line` in place of built files. A file without a map keeps its place. Reads maps only when it is
 * called, so that starts pay nothing; `node --enable-source-maps` names the sources in all stacks.
 */
export function sourcePlaces(stack: string): string {
  return stack.replace(PLACE_PATTERN, (place: string, file: string, line: string, column: string) => {
    if (!file.startsWith(BUILT)) return place;
    return sourceOf(file, Number(line), Number(column)) ?? place;
  });
}

/** Returns a place of a built file as `path:line:column` of its source. Null without a map. */
function sourceOf(file: string, line: number, column: number): string | null {
  const map = fileText(`${file}.map`);
  if (map === null) return null;
  const entry = new SourceMap(JSON.parse(map) as ConstructorParameters<typeof SourceMap>[0]).findEntry(line - 1, column - 1);
  if (!('originalSource' in entry)) return null;
  return `${fileURLToPath(new URL(entry.originalSource, file))}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
}

/** Returns the text of a file, or null if it cannot be read. */
function fileText(url: string): string | null {
  try {
    return readFileSync(new URL(url), 'utf8');
  } catch {
    return null;
  }
}
