// The sources, the tests and what they share, as JavaScript, kept in `.isobar-cache/native` from run to run: a source is compiled anew where it has changed.
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transform, version } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folders = ['src', 'strategies', 'test', 'bench', 'build'].map((name) => join(root, name, '/'));

/** As `tsconfig.json` has it. */
const compilerOptions = { target: 'ES2022', useDefineForClassFields: false, verbatimModuleSyntax: true };

/** Whether the file at `path` is TypeScript of this checkout. */
export const isSource = (path) =>
  path.endsWith('.ts') && folders.some((folder) => path.startsWith(folder)) && !path.includes('/node_modules/');

/** Where the JavaScript of a source is kept, its source map inside. */
export const compiledPath = (source) => join(root, '.isobar-cache/native', `${relative(root, source)}.js`);

/** Returns the JavaScript of the TypeScript at `path`. */
export async function compiled(path) {
  if (!isSource(path)) return await made(path);
  const { mtimeMs, size } = statSync(path);
  const madeFrom = `\n// esbuild ${version}, ${size} bytes of ${Math.round(mtimeMs)}\n`;
  const kept = keptText(compiledPath(path));
  if (kept?.endsWith(madeFrom)) return kept;
  const text = `${await made(path)}${madeFrom}`;
  keep(compiledPath(path), text);
  return text;
}

async function made(path) {
  const options = { loader: 'ts', sourcefile: path, sourcemap: 'inline', tsconfigRaw: { compilerOptions } };
  const { code } = await transform(readFileSync(path, 'utf8'), options);
  return code;
}

function keptText(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/** Writes a file so that a reader sees it whole, even if several processes write it at once. */
function keep(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  const making = `${path}.${process.pid}`;
  writeFileSync(making, text);
  renameSync(making, path);
}
