// Holds the imports of a tree of sources against the plan of the house (floors.json): what runs upward or sideways, passes a wall or goes
// in a circle, and what has grown too large. usage: node test/architecture/check.mjs [--src DIR] [--all]
import { readdirSync, readFileSync } from 'node:fs';
import { posix, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const { floors, walls, only, mostFiles, mostLines, mostFileLines } = JSON.parse(
  readFileSync(new URL('./floors.json', import.meta.url), 'utf8'),
);

/** Looks at all files below `root`, tests and declarations left out. Each finding is a line that says who, what and why. */
export function lookAt(root) {
  const listed = readdirSync(root, { recursive: true }).map((file) => String(file).split(sep).join('/'));
  const files = listed.filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.endsWith('.d.ts')).toSorted();
  const texts = new Map(files.map((file) => [file, readFileSync(`${root}/${file}`, 'utf8')]));
  const imports = files.flatMap((from) =>
    targetsOf(texts.get(from)).map((target) => ({ from, to: posix.join(posix.dirname(from), target) })),
  );
  const betweenRooms = imports.map(({ from, to }) => [roomOf(from), roomOf(to)]).filter(([a, b]) => a !== b && a !== '.');
  return {
    files: files.length,
    imports: imports.length,
    absent: imports.filter(({ to }) => !texts.has(to) && !listed.includes(to)).map(({ from, to }) => `${from} -> ${to}`),
    forbidden: [...new Set(imports.flatMap(({ from, to }) => objections(from, to).map((why) => `${from} -> ${to}: ${why}`)))],
    circlesOfRooms: circlesIn(betweenRooms),
    circlesOfFiles: circlesIn(imports.map(({ from, to }) => [from, to])),
    crowded: crowdedIn(files.map((file) => [file, texts.get(file).split('\n').length - 1])),
  };
}

const roomOf = (file) => posix.dirname(file);

/** Relative imports of a source text, those of types included. */
function targetsOf(text) {
  const code = text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  return [...code.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'(\.[^'\s]+)'/g)].map((match) => match[1]);
}

function objections(from, to) {
  const wall = walls.find(([who, what]) => from.startsWith(`${who}/`) && to.startsWith(`${what}/`));
  const keep = only.find(([what, who]) => to === what && !who.some((room) => from.startsWith(`${room}/`)));
  return [
    floorObjection(from, to),
    wall === undefined ? null : `a wall stands between ${wall.join(' and ')}`,
    keep === undefined ? null : `only ${keep[1].join(', ')} may take ${to} whole`,
  ].filter((why) => why !== null);
}

/** Two files are compared in the deepest folder that both lie in. */
function floorObjection(from, to) {
  const [a, b] = [from.split('/'), to.split('/')];
  let depth = 0;
  while (depth < a.length - 1 && depth < b.length - 1 && a[depth] === b[depth]) depth++;
  const [x, y] = [a, b].map((parts) => (parts.length - 1 > depth ? parts[depth] : '.'));
  const folder = a.slice(0, depth).join('/');
  // The doors on top show every room.
  if (x === y || (folder === '' && x === '.')) return null;
  const rows = floors[folder];
  if (rows === undefined) return `${folder} has no floors`;
  const [i, j] = [x, y].map((name) => rows.findIndex((row) => row.includes(name)));
  if (i < 0 || j < 0) return `${i < 0 ? x : y} is on no floor of ${folder || 'src'}`;
  if (j < i) return null;
  return j > i ? `${y} lies above ${x}` : `${x} and ${y} lie side by side`;
}

/** Sets of nodes that reach each other (Tarjan, "Depth-first search and linear graph algorithms", 1972), each as one line. */
export function circlesIn(edges) {
  const next = new Map();
  for (const [from, to] of edges) next.set(from, [...(next.get(from) ?? []), to]);
  const [index, low, stack, open, circles] = [new Map(), new Map(), [], new Set(), []];
  const visit = (node) => {
    index.set(node, index.size);
    low.set(node, index.get(node));
    stack.push(node);
    open.add(node);
    for (const other of next.get(node) ?? []) {
      if (!index.has(other)) visit(other);
      if (open.has(other)) low.set(node, Math.min(low.get(node), low.get(other)));
    }
    if (low.get(node) !== index.get(node)) return;
    const circle = stack.splice(stack.indexOf(node));
    for (const each of circle) open.delete(each);
    if (circle.length > 1) circles.push(circle.toSorted((a, b) => (a < b ? -1 : 1)).join(' <-> '));
  };
  for (const node of next.keys()) if (!index.has(node)) visit(node);
  return circles;
}

function crowdedIn(files) {
  const rooms = new Map();
  for (const [file, lines] of files) {
    const name = roomOf(file);
    const room = rooms.get(name) ?? { files: 0, lines: 0 };
    rooms.set(name, { files: room.files + 1, lines: room.lines + lines });
  }
  const long = files.flatMap(([file, lines]) => (lines > mostFileLines ? [`${file}: ${lines} lines, at most ${mostFileLines}`] : []));
  const full = [...rooms].flatMap(([name, room]) => [
    ...(room.files > mostFiles ? [`${name}: ${room.files} files, at most ${mostFiles}`] : []),
    ...(room.lines > mostLines ? [`${name}: ${room.lines} lines, at most ${mostLines}`] : []),
  ]);
  return [...full, ...long];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const at = process.argv.indexOf('--src');
  const { files, imports, ...found } = lookAt(resolve(at < 0 ? 'src' : process.argv[at + 1]));
  console.log(`${files} files, ${imports} imports`);
  const titles = {
    absent: 'imports of what is not there',
    forbidden: 'forbidden imports',
    circlesOfRooms: 'circles of rooms',
    circlesOfFiles: 'circles of files',
    crowded: 'too large',
  };
  for (const [key, title] of Object.entries(titles)) {
    const lines = found[key];
    console.log(`${title}: ${lines.length}`);
    for (const line of process.argv.includes('--all') ? lines : lines.slice(0, 20)) console.log(`  ${line}`);
  }
  process.exitCode = Object.values(found).some((lines) => lines.length > 0) ? 1 : 0;
}
