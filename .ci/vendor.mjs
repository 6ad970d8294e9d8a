// Packages of many small files become one file each in dist/vendor: a start loads some 380 files fewer, which is a third of its time.
// They stay dependencies: the type declarations name them. dist/vendor/packages.json says what each file is made of, and LICENSES how.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const PACKAGES = ['inversify', 'pino', 'yaml', 'yargs', 'zod'];
/** Packages that one of ours needs less of than there is. */
const LESS = { 'string-width': fileURLToPath(new URL('textWidth.mjs', import.meta.url)) };
/** Of the compiler, or of a build before this one. */
const IMPORT = new RegExp(`^import (\\{[^}]*\\}|\\* as \\w+|\\w+(?:, \\{\\})?) from ['"](?:[./]+/vendor/)?(${PACKAGES.join('|')})(?:\\.js)?['"];$`, 'gm');

/** Imports in the compiled files, as [file, text of the file, [[names, package]]]. */
function importers(dist) {
  return readdirSync(dist, { recursive: true })
    .filter((name) => name.endsWith('.js') && !name.startsWith('vendor'))
    .map((name) => {
      const file = join(dist, name);
      const text = readFileSync(file, 'utf8');
      return { file, text, imports: [...text.matchAll(IMPORT)].map(([, names, of]) => ({ names, of })) };
    })
    .filter(({ imports }) => imports.length > 0);
}

/** All that is imported of a package, exported again. A CommonJS package has no other way to name its exports. */
function entryOf(name, found) {
  const uses = found.flatMap(({ text, imports }) => imports.filter(({ of }) => of === name).map(({ names }) => ({ names, text })));
  return `export { ${[...new Set(uses.flatMap(namesOf))].join(', ')} } from '${name}';`;
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
}

function licenseOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  const text = file !== undefined ? readFileSync(join(folder, file), 'utf8').trim() : '';
  return `${name} ${version} (${license})\n\n${text}`;
}
