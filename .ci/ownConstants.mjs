// Infinity and NaN become constants of each file of dist that is hot.
//
// They are variables of the global object. V8 knows what they hold, but not, where one of them is joined with another number, that both are
// numbers: the result is put into a box, and taken out again at its next use. An order of a backtest made four such boxes (2026-11-23,
// Node 20); a constant of a file is a number like any other.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';

const ROOMS = ['adapters/replay', 'base', 'engine', 'indicators', 'orders', 'portfolio', 'risk', 'scheduler', 'venue'];
/** As long as what they stand for: every character of a file but its first line stays at its place, so maps stay true. */
const OWN = { Infinity: 'INFINITY', NaN: 'NAN' };

/** Rewrites the files of the rooms in `dist`, as the compiler has left them. */
export function ownConstants(dist) {
  for (const room of ROOMS) {
    const folder = join(dist, room);
    const names = existsSync(folder) ? readdirSync(folder, { recursive: true }) : [];
    for (const name of names) if (name.endsWith('.js')) rewrite(join(folder, name));
  }
}

function rewrite(file) {
  const text = readFileSync(file, 'utf8');
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
  const used = [...valuesOf(program)];
  if (used.length === 0) return;
  for (const own of Object.values(OWN)) if (new RegExp(`\\b${own}\\b`).test(text)) throw new Error(`${file}: ${own} is a name of the build`);
  const out = text.split('');
  for (const { name, start } of used) out.splice(start, name.length, ...OWN[name]);
  const declared = [...new Set(used.map(({ name }) => name))].map((name) => `${OWN[name]} = ${name}`);
  writeFileSync(file, `const ${declared.join(', ')}; ${out.join('')}`);
}

/** Where the two are read: not as the name of a member or of a key. */
function* valuesOf(node, isName = false) {
  if (node.type === 'Identifier' && node.name in OWN && !isName) yield node;
  for (const [key, value] of Object.entries(node)) {
    if (typeof value !== 'object' || value === null) continue;
    const names = (key === 'property' || key === 'key') && node.computed === false;
    yield* valuesOf(value, names);
  }
}
