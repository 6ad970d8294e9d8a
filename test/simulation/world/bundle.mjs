// Bundles a program of the world from sources, with changes of named lines for the runs that plant a fault.
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** `changes`: `{ file, from, to }`, each with a `from` that stands in its file once. */
export async function bundleWorld(entry, outfile, changes = []) {
  const loaded = new Set();
  const planted = {
    name: 'planted',
    setup({ onLoad }) {
      onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path }) => {
        const own = changes.filter(({ file }) => path === root + file);
        if (own.length === 0) return null;
        const contents = own.reduce(
          (text, { file, from, to }) => {
            if (text.split(from).length !== 2) throw new Error(`${file}: expected this line once: ${from}`);
            loaded.add(file);
            return text.replace(from, () => to);
          },
          readFileSync(path, 'utf8'),
        );
        return { contents, loader: 'ts' };
      });
    },
  };
  await build({
    entryPoints: [fileURLToPath(entry)],
    outfile,
    bundle: true,
    absWorkingDir: dirname(fileURLToPath(entry)),
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    sourcemap: 'inline',
    // The package asks where it lies.
    define: { 'import.meta.url': JSON.stringify(new URL('../../../dist/world.js', import.meta.url).href) },
    logLevel: 'error',
    plugins: [planted],
  });
  for (const { file } of changes) if (!loaded.has(file)) throw new Error(`${file} is no part of the world`);
}
