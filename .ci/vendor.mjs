// Packages of many small files become one file each in dist/vendor: a start loads some 380 files fewer, which is a third of its time.
// They stay dependencies: the type declarations name them. dist/vendor/packages.json says what each file is made of, and LICENSES how.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const PACKAGES = ['inversify', 'pino', 'undici', 'yaml', 'yargs', 'zod'];
/** Packages that one of ours needs less of than there is. */
const LESS = { 'string-width': fileURLToPath(new URL('textWidth.mjs', import.meta.url)) };
/** Where in a package what we use of it is the default: the rest of undici (fetch, WebSocket, caches) takes 0.1 s at each start. */
const PLACES = { undici: { Agent: 'undici/lib/dispatcher/agent.js', buildConnector: 'undici/lib/core/connect.js' } };
/**
 * CommonJS packages that stay where they are. Where one is imported, Node.js reads through all of its text for names to export before it
 * runs: 60 ms for esbuild, 40 for piscina. Where it is required, it does not.
 */
const REQUIRED = /^import (\{[^}]*\}) from '(esbuild|piscina)';$/gm;
/** Of the compiler, or of a build before this one. */
const IMPORT = new RegExp(`^import (\\{[^}]*\\}|\\* as \\w+|\\w+(?:, \\{\\})?) from ['"](?:[./]+/vendor/)?(${PACKAGES.join('|')})(?:\\.js)?['"];$`, 'gm');

/** The line that requires what one imports. Lines stay where they are. */
const required = (names, of) =>
  `import { createRequire as requireHere } from 'node:module'; const ${names.replaceAll(' as ', ': ')} = requireHere(import.meta.url)('${of}');`;

function compiled(dist) {
  const names = readdirSync(dist, { recursive: true }).filter((name) => name.endsWith('.js') && !name.startsWith('vendor'));
  return names.map((name) => join(dist, name)).map((file) => ({ file, text: readFileSync(file, 'utf8') }));
}

/** Imports in the compiled files, as [file, text of the file, [[names, package]]]. */
function importers(dist) {
  return compiled(dist)
    .map(({ file, text }) => ({ file, text, imports: [...text.matchAll(IMPORT)].map(([, names, of]) => ({ names, of })) }))
    .filter(({ imports }) => imports.length > 0);
}

/** All that is imported of a package, exported again. A CommonJS package has no other way to name its exports. */
function entryOf(name, found) {
  const uses = found.flatMap(({ text, imports }) => imports.filter(({ of }) => of === name).map(({ names }) => ({ names, text })));
  const names = [...new Set(uses.flatMap(namesOf))];
  const places = PLACES[name];
  if (places === undefined) return `export { ${names.join(', ')} } from '${name}';`;
  const lost = names.find((each) => places[each] === undefined);
  if (lost !== undefined) throw new Error(`vendor: where in ${name} is ${lost}? Say so in PLACES`);
  return names.map((each) => `export { default as ${each} } from '${places[each]}';`).join('\n');
}

/** What a file uses of a package. Of zod, whose `z` is all of it, the members: the texts of its errors in fifty languages are most of zod. */
function namesOf({ names, text }) {
  if (/^\w+/.test(names)) return ['default'];
  const whole = wholeOf(names);
  if (whole === null) return listOf(names);
  return [...text.matchAll(new RegExp(`(?<![\\w.$])${whole}\\.(\\w+)`, 'g'))].map(([, member]) => member);
}

const listOf = (names) => names.slice(1, -1).split(',').map((each) => each.trim().split(' as ')[0]).filter(Boolean); // prettier-ignore

/** The name that stands for the whole package, or null. */
const wholeOf = (names) => /^\* as (\w+)$/.exec(names)?.[1] ?? (listOf(names).join() === 'z' ? 'z' : null);

const packageOf = (input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(input)?.[0];

/** Writes dist/vendor and lets the compiled files import from there. */
export async function vendor(dist) {
  const found = importers(dist);
  const made = {};
  const folders = new Set();
  for (const name of PACKAGES) {
    const contents = entryOf(name, found);
    const { metafile } = await build({
      stdin: { contents, resolveDir: '.', sourcefile: `${name}.js` },
      outfile: join(dist, 'vendor', `${name}.js`),
      alias: LESS,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      metafile: true,
      logLevel: 'error',
      // Fewer bytes to read at each start; names stay, for classes and functions say theirs.
      minifyWhitespace: true,
      minifySyntax: true,
      // A CommonJS package asks for modules of Node by `require`.
      banner: { js: "import { createRequire as requireFrom } from 'node:module';\nconst require = requireFrom(import.meta.url);" },
    });
    const from = [...new Set(Object.keys(metafile.inputs).flatMap((input) => packageOf(input) ?? []))].toSorted();
    made[`${name}.js`] = from.map((folder) => folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length));
    for (const folder of from) folders.add(folder);
  }
  writeFileSync(join(dist, 'vendor', 'packages.json'), `${JSON.stringify(made, null, 2)}\n`);
  writeFileSync(join(dist, 'vendor', 'LICENSES'), [...folders].toSorted().map(licenseOf).join('\n\n'));
  for (const { file, text } of found) {
    const path = relative(dirname(file), join(dist, 'vendor')).replace(/^(?!\.)/, './');
    const rewritten = text.replace(IMPORT, (_all, names, of) => {
      const whole = wholeOf(names);
      return `import ${whole === null ? names : `* as ${whole}`} from '${path}/${of}.js';`;
    });
    if (rewritten !== text) writeFileSync(file, rewritten);
  }
  for (const { file, text } of compiled(dist)) {
    const rewritten = text.replace(REQUIRED, (_all, names, of) => required(names, of));
    if (rewritten !== text) writeFileSync(file, rewritten);
  }
}

function licenseOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  const text = file !== undefined ? readFileSync(join(folder, file), 'utf8').trim() : '';
  return `${name} ${version} (${license})\n\n${text}`;
}
