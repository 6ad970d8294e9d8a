// What `isobar` knows of its commands before it runs one is 25 files: each start reads them, so they become one file, dist/cli/main.js.
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { ONE_FILE } from './oneFile.mjs';

const NEIGHBOUR = /^(?:import|export) [^'"]*['"](\.\/\w+\.js)['"];$/gm;
/** The tests ask it what an error is told as. */
const ASKED = './failure.js';

const neighboursOf = (folder, name) => [...readFileSync(join(folder, name), 'utf8').matchAll(NEIGHBOUR)].map(([, path]) => path);

/** Makes one file of `dist/cli/main.js` and those neighbours that it alone needs. */
export async function mergeCommands(dist) {
  const folder = join(dist, 'cli');
  const reached = new Set(['./main.js']);
  for (const name of reached) for (const path of neighboursOf(folder, name)) reached.add(path);
  const others = readdirSync(folder).filter((name) => name.endsWith('.js') && !reached.has(`./${name}`));
  const shared = new Set([ASKED, ...others.flatMap((name) => neighboursOf(folder, name))]);
  for (const name of shared) for (const path of neighboursOf(folder, name)) shared.add(path);
  const main = join(folder, 'main.js');
  const { metafile } = await build({
    entryPoints: [main],
    outfile: main,
    allowOverwrite: true,
    ...ONE_FILE,
    metafile: true,
    plugins: [
      {
        name: 'neighbours',
        setup: ({ onResolve }) =>
          onResolve({ filter: /.*/ }, ({ path, kind }) => {
            const isMerged = kind === 'entry-point' || (kind === 'import-statement' && reached.has(path) && !shared.has(path));
            return isMerged ? undefined : { path, external: true };
          }),
      },
    ],
  });
  const merged = Object.keys(metafile.inputs).filter((name) => resolve(name) !== resolve(main));
  for (const file of merged.flatMap((name) => [name, `${name}.map`])) rmSync(file);
}
