// Checks a tree of sources against the plan of its rooms (floors.json). Finds imports that run upward or sideways, pass a wall or form a
// circle. Also finds files and folders that are too large. Usage: node test/architecture/check.mjs [--src DIR] [--all]

import { readdirSync, readFileSync } from 'node:fs';
import { posix, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

// `floors`: the rooms of each folder, from top to bottom. `walls`: pairs of rooms without imports. `only`: files that few rooms may import.
const { floors, walls, only, mostFiles, mostLines, mostFileLines } = JSON.parse(
  readFileSync(new URL('./floors.json', import.meta.url), 'utf8'),
);

/** Returns the findings about all files below `root`, without tests and declarations. Each finding is a line with place and reason. */
export function checkTree(root) {
  const listed = readdirSync(root, { recursive: true }).map((file) => String(file).split(sep).join('/'));
  const files = listed.filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.endsWith('.d.ts')).toSorted();
  const texts = new Map(files.map((file) => [file, readFileSync(`${root}/${file}`, 'utf8')]));
  const imports = files.flatMap((from) =>
    targetsOf(texts.get(from)).map((target) => ({ from, to: posix.join(posix.dirname(from), target) })),
  );
  const betweenRooms = imports
    .map(({ from, to }) => [roomOf(from), roomOf(to)])
    .filter(([fromRoom, toRoom]) => fromRoom !== toRoom && fromRoom !== '.');
  return {
    files: files.length,
    imports: imports.length,
    absent: imports.filter(({ to }) => !texts.has(to) && !listed.includes(to)).map(({ from, to }) => `${from} -> ${to}`),
    forbidden: [...new Set(imports.flatMap(({ from, to }) => importProblems(from, to).map((why) => `${from} -> ${to}: ${why}`)))],
    circlesOfRooms: circlesIn(betweenRooms),
    circlesOfFiles: circlesIn(imports.map(({ from, to }) => [from, to])),
    oversized: oversizedIn(files.map((file) => [file, texts.get(file).split('\n').length - 1])),
  };
}

/** Returns the folder of a file. */
const roomOf = (file) => posix.dirname(file);

/** Returns the relative imports of a source text, also those of types. */
function targetsOf(text) {
  const code = text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  return [...code.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'(\.[^'\s]+)'/g)].map((match) => match[1]);
}

/** Returns why the file `from` may not import `to`. Empty if it may. */
function importProblems(from, to) {
  const wall = walls.find(([importer, imported]) => from.startsWith(`${importer}/`) && to.startsWith(`${imported}/`));
  // Some files may be imported by certain rooms only.
  const reserved = only.find(([file, rooms]) => to === file && !rooms.some((room) => from.startsWith(`${room}/`)));
  return [
    floorProblem(from, to),
    wall === undefined ? null : `a wall stands between ${wall.join(' and ')}`,
    reserved === undefined ? null : `only ${reserved[1].join(', ')} may take ${to} whole`,
  ].filter((why) => why !== null);
}

/** Returns the problem of an import by the floors of the deepest folder that contains both files; null for an import downward. */
function floorProblem(from, to) {
  const [fromParts, toParts] = [from.split('/'), to.split('/')];
  const maxDepth = Math.min(fromParts.length, toParts.length) - 1;
  let depth = 0;
  while (depth < maxDepth && fromParts[depth] === toParts[depth]) depth++;
  const folder = fromParts.slice(0, depth).join('/');
  const [fromRoom, toRoom] = [fromParts, toParts].map((parts) => (parts.length - 1 > depth ? parts[depth] : '.'));
  // The files at the top of src export from every room.
  if (fromRoom === toRoom || (folder === '' && fromRoom === '.')) return null;
  const rows = floors[folder];
  if (rows === undefined) return `${folder} has no floors`;
  const [fromFloor, toFloor] = [fromRoom, toRoom].map((room) => rows.findIndex((row) => row.includes(room)));
  if (fromFloor < 0 || toFloor < 0) return `${fromFloor < 0 ? fromRoom : toRoom} is on no floor of ${folder || 'src'}`;
  if (toFloor < fromFloor) return null;
  return toFloor > fromFloor ? `${toRoom} lies above ${fromRoom}` : `${fromRoom} and ${toRoom} lie side by side`;
}

/** Returns the sets of nodes that reach each other, each as one line (Tarjan, "Depth-first search and linear graph algorithms", 1972). */
export function circlesIn(edges) {
  const targetsByNode = new Map();
  for (const [from, to] of edges) targetsByNode.set(from, [...(targetsByNode.get(from) ?? []), to]);
  /** The order in which nodes were first visited, and the earliest such number that each node reaches. */
  const visitIndexes = new Map();
  const lowestReached = new Map();
  /** The visited nodes that belong to no circle yet. */
  const stack = [];
  const onStack = new Set();
  const circles = [];
  const visit = (node) => {
    visitIndexes.set(node, visitIndexes.size);
    lowestReached.set(node, visitIndexes.get(node));
    stack.push(node);
    onStack.add(node);
    for (const target of targetsByNode.get(node) ?? []) {
      if (!visitIndexes.has(target)) visit(target);
      if (onStack.has(target)) lowestReached.set(node, Math.min(lowestReached.get(node), lowestReached.get(target)));
    }
    if (lowestReached.get(node) !== visitIndexes.get(node)) return;
    const circle = stack.splice(stack.indexOf(node));
    for (const member of circle) onStack.delete(member);
    if (circle.length > 1) circles.push(circle.toSorted((one, other) => (one < other ? -1 : 1)).join(' <-> '));
  };
  for (const node of targetsByNode.keys()) if (!visitIndexes.has(node)) visit(node);
  return circles;
}

/** Returns the files, folders and rooms that exceed the maximum sizes. `files`: pairs of path and number of lines. */
function oversizedIn(files) {
  const rooms = new Map();
  for (const [file, lines] of files) {
    const name = roomOf(file);
    const room = rooms.get(name) ?? { files: 0, lines: 0 };
    rooms.set(name, { files: room.files + 1, lines: room.lines + lines });
  }
  const longFiles = files.flatMap(([file, lines]) => (lines > mostFileLines ? [`${file}: ${lines} lines, at most ${mostFileLines}`] : []));
  const largeRooms = [...rooms].flatMap(([name, room]) => [
    ...(room.files > mostFiles ? [`${name}: ${room.files} files, at most ${mostFiles}`] : []),
    ...(room.lines > mostLines ? [`${name}: ${room.lines} lines, at most ${mostLines}`] : []),
  ]);
  return [...largeRooms, ...longFiles];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const optionIndex = process.argv.indexOf('--src');
  const { files, imports, ...findings } = checkTree(resolve(optionIndex < 0 ? 'src' : process.argv[optionIndex + 1]));
  console.log(`${files} files, ${imports} imports`);
  const titles = {
    absent: 'imports of what is not there',
    forbidden: 'forbidden imports',
    circlesOfRooms: 'circles of rooms',
    circlesOfFiles: 'circles of files',
    oversized: 'too large',
  };
  for (const [key, title] of Object.entries(titles)) {
    const lines = findings[key];
    console.log(`${title}: ${lines.length}`);
    for (const line of process.argv.includes('--all') ? lines : lines.slice(0, 20)) console.log(`  ${line}`);
  }
  process.exitCode = Object.values(findings).some((lines) => lines.length > 0) ? 1 : 0;
}
