// Bundles a program of the simulated world from sources. It may replace named lines, to plant a fault.
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Bundles `entry` into `outfile`. Each change `{ file, from, to }` replaces the text `from`, which its file must contain once. */
export async function bundleWorld(entry, outfile, changes = []) {
  const changedFiles = new Set();
  const plugin = {
    name: 'planted',
    setup({ onLoad }) {
      onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path }) => {
        const fileChanges = changes.filter(({ file }) => path === root + file);
        if (fileChanges.length === 0) return null;
        const contents = fileChanges.reduce(
          (text, { file, from, to }) => {
            if (text.split(from).length !== 2) throw new Error(`${file}: expected this line once: ${from}`);
            changedFiles.add(file);
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
    // The package finds its own folder by `import.meta.url`.
    define: { 'import.meta.url': JSON.stringify(new URL('../../../dist/world.js', import.meta.url).href) },
    logLevel: 'error',
    plugins: [plugin],
  });
  for (const { file } of changes) if (!changedFiles.has(file)) throw new Error(`${file}: expected a file that the simulated world loads`);
}
