// Private members of the rooms that no author's code gets hold of become plain ones in dist: `#name` is `$name` there.
//
// A private field exists from the start of the constructor on, as undefined, and what it holds later is unknown to V8 for good: at each
// read the shape of it is looked at. What a plain field holds is known where the constructor is the first to write it. An order of a
// backtest looked at 230 shapes, and looks at 150 (2026-11-22, Node 20). The compiler's own checks of `#` are over by then; what a
// strategy gets into its hands keeps them at run time as well.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';

const ROOMS = ['adapters/replay', 'base', 'engine', 'orders', 'portfolio', 'risk', 'scheduler', 'venue'];
/** What strategies get, and what must not be told. */
const PRIVATE = /(?:[vV]iews?|\/secret)\.js$/;

/** Rewrites the files of the rooms in `dist`, as the compiler has left them. Every character stays at its place, so maps stay true. */
export function plainFields(dist) {
  const classes = new Map();
  for (const room of ROOMS) {
    const folder = join(dist, room);
    const names = existsSync(folder) ? readdirSync(folder, { recursive: true }) : [];
    for (const name of names) if (name.endsWith('.js') && !PRIVATE.test(`/${name}`)) rewrite(join(folder, name), classes);
  }
  for (const [name, { members, parent }] of classes) {
    for (let over = classes.get(parent); over !== undefined; over = classes.get(over.parent)) {
      const both = members.find((member) => over.members.includes(member));
      if (both !== undefined) throw new Error(`#${both} of ${name} and of a class above it would become one field: rename one of them`);
    }
  }
}

function rewrite(file, classes) {
  const text = readFileSync(file, 'utf8');
  if (!text.includes('#')) return;
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
  const out = [...text];
  if (out.length !== text.length) throw new Error(`${file}: a character beyond the first 65,536 moves all places`);
  for (const node of nodesOf(program)) {
    if (node.type === 'PrivateIdentifier') out[node.start] = '$';
    if (node.type === 'BinaryExpression' && node.left.type === 'PrivateIdentifier') throw new Error(`${file}: #${node.left.name} in … is not known here`);
    if (node.type.startsWith('Class') && node.body?.type === 'ClassBody') classes.set(node.id?.name ?? file, membersOf(node));
  }
  // After the names: a field without a value is not to exist before it is written.
  for (const node of nodesOf(program)) {
    if (node.type !== 'PropertyDefinition' || node.value !== null || node.key.type !== 'PrivateIdentifier') continue;
    for (let at = node.start; at < node.end; at++) if (out[at] !== '\n') out[at] = ' ';
  }
  writeFileSync(file, out.join(''));
}

function membersOf({ body, superClass }) {
  const keys = body.body.map(({ key }) => key).filter((key) => key?.type === 'PrivateIdentifier');
  return { members: keys.map(({ name }) => name), parent: superClass?.name };
}

function* nodesOf(node) {
  if (typeof node.type === 'string') yield node;
  for (const value of Object.values(node)) if (typeof value === 'object' && value !== null) yield* nodesOf(value);
}
