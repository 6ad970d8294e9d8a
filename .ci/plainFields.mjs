// Private members of the rooms that no author's code gets hold of become plain ones in dist: `#name` is `$name` there.
//
// A private field exists from the start of the constructor on, as undefined, and what it holds later is unknown to V8 for good: at each
// read the shape of it is looked at. What a plain field holds is known where the constructor is the first to write it. An order of a
// backtest looked at 230 shapes, and looks at 150 (2026-11-22, Node 20). For the same reason the compiler defines no public fields
// (useDefineForClassFields). Its own checks of `#` are over by then; what a strategy gets into its hands keeps them at run time as well.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';

const ROOMS = ['adapters/replay', 'base', 'engine', 'orders', 'portfolio', 'risk', 'scheduler', 'venue'];
/** What strategies get, and what must not be told. */
const PRIVATE = /(?:[vV]iews?|\/secret)\.js$/;

/** Rewrites the files of the rooms in `dist`, as the compiler has left them. Every character stays at its place, so maps stay true. */
export function plainFields(dist) {
  const classes = [];
  for (const room of ROOMS) {
    const folder = join(dist, room);
    const names = existsSync(folder) ? readdirSync(folder, { recursive: true }) : [];
    for (const name of names) if (name.endsWith('.js') && !PRIVATE.test(`/${name}`)) classes.push(...rewrite(join(folder, name)));
  }
  // By name: of several classes of one name any may be meant.
  const named = (wanted) => (wanted === undefined ? [] : classes.filter(({ name }) => name === wanted));
  const above = (parent) => named(parent).flatMap((each) => [...each.members, ...above(each.parent)]);
  for (const { name, members, parent } of classes) {
    const both = above(parent).find((member) => members.includes(member));
    if (both !== undefined) throw new Error(`#${both} of ${name} and of a class above it would become one field: rename one of them`);
  }
}

/** Returns the classes of the file. */
function rewrite(file) {
  const text = readFileSync(file, 'utf8');
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
  const nodes = [...nodesOf(program)];
  const out = text.split('');
  for (const { type, start } of nodes) if (type === 'PrivateIdentifier') out[start] = '$';
  // After the names: a field without a value is not to exist before it is written.
  for (const { type, value, key, start, end } of nodes) {
    if (type !== 'PropertyDefinition' || value !== null || key.type !== 'PrivateIdentifier') continue;
    for (let at = start; at < end; at++) if (out[at] !== '\n') out[at] = ' ';
  }
  const asked = nodes.find(({ type, left }) => type === 'BinaryExpression' && left.type === 'PrivateIdentifier');
  if (asked !== undefined) throw new Error(`${file}: #${asked.left.name} in … is not known here`);
  writeFileSync(file, out.join(''));
  return nodes.filter(({ type }) => type === 'ClassDeclaration' || type === 'ClassExpression').map(classOf);
}

function classOf({ id, body, superClass }) {
  const keys = body.body.map(({ key }) => key).filter((key) => key?.type === 'PrivateIdentifier');
  return { name: id?.name, members: keys.map(({ name }) => name), parent: superClass?.name };
}

function* nodesOf(node) {
  if (typeof node.type === 'string') yield node;
  for (const value of Object.values(node)) if (typeof value === 'object' && value !== null) yield* nodesOf(value);
}
