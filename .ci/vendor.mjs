// Packages of many small files become one file each in dist/vendor: a start loads some 350 files fewer, which is a third of its time.
// They stay dependencies: the type declarations name them. dist/vendor/packages.json says what each file is made of, and LICENSES how.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { build } from 'esbuild';

const PACKAGES = ['inversify', 'yaml', 'zod'];
/** Of the compiler, or of a build before this one. */
const IMPORT = new RegExp(`^import (\\{[^}]*\\}|\\* as \\w+) from '(?:[./]+/vendor/)?(${PACKAGES.join('|')})(?:\\.js)?';$`, 'gm');

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
  const lists = found.flatMap(({ imports }) => imports.filter(({ of }) => of === name).map(({ names }) => names));
  if (lists.some((names) => names.startsWith('*'))) return `export * from '${name}';`;
  const names = lists.flatMap((list) => list.slice(1, -1).split(',')).map((each) => each.trim().split(' as ')[0]);
  return `export { ${[...new Set(names)].filter(Boolean).join(', ')} } from '${name}';`;
}

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
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      metafile: true,
      logLevel: 'error',
      // A CommonJS package asks for modules of Node by `require`.
      banner: { js: "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);" },
    });
    const from = [...new Set(Object.keys(metafile.inputs).flatMap((input) => packageOf(input) ?? []))].toSorted();
    made[`${name}.js`] = from.map((folder) => folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length));
    for (const folder of from) folders.add(folder);
  }
  writeFileSync(join(dist, 'vendor', 'packages.json'), `${JSON.stringify(made, null, 2)}\n`);
  writeFileSync(join(dist, 'vendor', 'LICENSES'), [...folders].toSorted().map(licenseOf).join('\n\n'));
  for (const { file, text } of found) {
    const path = relative(dirname(file), join(dist, 'vendor')).replace(/^(?!\.)/, './');
    const rewritten = text.replace(IMPORT, (_all, names, of) => `import ${names} from '${path}/${of}.js';`);
    if (rewritten !== text) writeFileSync(file, rewritten);
  }
}

function licenseOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  const text = file !== undefined ? readFileSync(join(folder, file), 'utf8').trim() : '';
  return `${name} ${version} (${license})\n\n${text}`;
}
