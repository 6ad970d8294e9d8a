// Starts the benchmark: transpiles its TypeScript and runs it over the built package, on every supported Node.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = `${root}.isobar-cache`;
mkdirSync(folder, { recursive: true });
const { outputFiles } = await build({
  entryPoints: [`${root}bench/bench.ts`],
  bundle: true,
  write: false,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  // The built package is not bundled, so that each class exists once and the loop stays in its own module.
  plugins: [{ name: 'dist', setup: (hooks) => hooks.onResolve({ filter: /^\.\.\/dist\// }, ({ path }) => ({ path, external: true })) }],
  packages: 'external',
});
// Several processes of the benchmark run at the same time, so each writes a file of its own.
const file = `${folder}/bench-${process.pid}.mjs`;
writeFileSync(file, outputFiles[0].contents);
try {
  await import(pathToFileURL(file).href);
} finally {
  rmSync(file);
}
