// Holds the imports of a tree of sources against the floors: what runs upward or sideways, passes a wall, or lies in a room that is too large.

import { readdirSync, readFileSync } from 'node:fs';
import { posix, sep } from 'node:path';
import { FLOORS, MOST_FILES, MOST_LINES, WALLS } from './floors.ts';

/** By the path of a source file below `src`: the place that the plan gives it. */
export type Places = Readonly<Record<string, string>>;

interface Import {
  readonly from: string;
  readonly to: string;
}

export interface House {
  /** Source files without a place. */
  readonly homeless: readonly string[];
  /** Each as `file -> file: why`, in the places of the plan. */
  readonly forbidden: readonly string[];
  /** Folders with too many files, and rooms with too many lines. */
  readonly crowded: readonly string[];
}

/** Looks at all files in `root`, tests and declarations left out, as if each lay at its place. */
export function lookAt(root: string, places: Places): House {
  const listed = readdirSync(root, { recursive: true }).map((file) => String(file).split(sep).join('/'));
  const files = listed.filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.endsWith('.d.ts'));
  const texts = new Map(files.map((file) => [file, readFileSync(`${root}/${file}`, 'utf8')]));
  const placeOf = (file: string): string => places[file] ?? file;
  const imports = files.flatMap((file) =>
    targetsOf(texts.get(file)!).map((target): Import => ({ from: placeOf(file), to: placeOf(posix.join(posix.dirname(file), target)) })),
  );
  return {
    homeless: files.filter((file) => places[file] === undefined),
    forbidden: [...new Set(imports.flatMap(({ from, to }) => objections(from, to).map((why) => `${from} -> ${to}: ${why}`)))].toSorted(),
    crowded: crowdedIn(files.map((file) => [placeOf(file), texts.get(file)!.split('\n').length - 1])),
  };
}

/** Relative imports of a source text, those of types included. */
function targetsOf(text: string): string[] {
  const code = text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  return [...code.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'(\.[^'\s]+)'/g)].map((match) => match[1]!);
}

function objections(from: string, to: string): string[] {
  const wall = WALLS.find(([who, what]) => from.startsWith(`${who}/`) && to.startsWith(`${what}/`));
  return [floorObjection(from, to), wall === undefined ? null : `a wall stands between ${wall.join(' and ')}`].filter(
    (why) => why !== null,
  );
}

/** Two files are compared in the deepest folder that both lie in. */
function floorObjection(from: string, to: string): string | null {
  const [a, b] = [from.split('/'), to.split('/')];
  let depth = 0;
  while (depth < a.length - 1 && depth < b.length - 1 && a[depth] === b[depth]) depth++;
  const [x, y] = [a, b].map((parts) => (parts.length - 1 > depth ? parts[depth]! : '.')) as [string, string];
  const folder = a.slice(0, depth).join('/');
  // The doors on top show every room.
  if (x === y || (folder === '' && x === '.')) return null;
  const rows = FLOORS[folder];
  if (rows === undefined) return `${folder} has no floors`;
  const [i, j] = [x, y].map((name) => rows.findIndex((row) => row.includes(name))) as [number, number];
  if (i < 0 || j < 0) return `${i < 0 ? x : y} is on no floor of ${folder || 'src'}`;
  if (j < i) return null;
  return j > i ? `${y} lies above ${x}` : `${x} and ${y} lie side by side`;
}

function crowdedIn(files: readonly (readonly [place: string, lines: number])[]): string[] {
  const rooms = new Map<string, { files: number; lines: number }>();
  for (const [place, lines] of files) {
    const name = posix.dirname(place);
    const room = rooms.get(name) ?? { files: 0, lines: 0 };
    rooms.set(name, { files: room.files + 1, lines: room.lines + lines });
  }
  return [...rooms].flatMap(([name, room]) => [
    ...(room.files > MOST_FILES ? [`${name}: ${room.files} files, at most ${MOST_FILES}`] : []),
    ...(room.lines > MOST_LINES ? [`${name}: ${room.lines} lines, at most ${MOST_LINES}`] : []),
  ]);
}
