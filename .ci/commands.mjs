// What `isobar` knows of its commands before it runs one is 25 files: each start reads them, so they become one file, dist/cli/main.js.
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { build } from 'esbuild';
import { addressOf, ONE_FILE } from './oneFile.mjs';

const STATIC = /^(?:import|export) [^'"]*['"](\.[^'"]+\.js)['"];$/gm;
/** The tests ask it what an error is told as. */
const ASKED = 'terminal/failure.js';

/** Makes one file of `dist/cli/main.js` and those files of its room that it alone needs. */
export async function mergeCommands(dist) {
  const room = resolve(dist, 'cli');
  const main = join(room, 'main.js');
  const reached = reachedFrom([main], room);
  const others = readdirSync(room, { recursive: true }).map((name) => join(room, name));
  const shared = reachedFrom([join(room, ASKED), ...others.filter((file) => file.endsWith('.js') && !reached.has(file))], room);
  const isMerged = (file) => reached.has(file) && !shared.has(file);
  const { metafile } = await build({
    entryPoints: [main],
    outfile: main,
    allowOverwrite: true,
    ...ONE_FILE,
    metafile: true,
    plugins: [
      {
        name: 'commands',
        setup: ({ onResolve }) =>
          onResolve({ filter: /.*/ }, ({ path, kind, resolveDir }) => {
            if (kind === 'entry-point') return undefined;
            const file = path.startsWith('.') ? resolve(resolveDir, path) : null;
            if (kind === 'import-statement' && isMerged(file)) return undefined;
            return { path: file === null ? path : addressOf(main, file), external: true };
          }),
      },
    ],
  });
  const merged = Object.keys(metafile.inputs).filter((name) => resolve(name) !== main);
  for (const file of merged.flatMap((name) => [name, `${name}.map`])) rmSync(file);
}

/** `files`, and what of their room they need before they run. */
function reachedFrom(files, room) {
  const reached = new Set(files);
  for (const file of reached) {
    const needed = [...readFileSync(file, 'utf8').matchAll(STATIC)].map(([, path]) => resolve(dirname(file), path));
    for (const each of needed) if (each.startsWith(join(room, '/'))) reached.add(each);
  }
  return reached;
}
