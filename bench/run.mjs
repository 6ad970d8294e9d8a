// Starts the benchmark: its TypeScript is transpiled on the way, so that it runs on every supported Node over the built package.
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
  // The built package stays itself: one copy of every class, and the loop under its own module.
  plugins: [{ name: 'dist', setup: (on) => on.onResolve({ filter: /^\.\.\/dist\// }, ({ path }) => ({ path, external: true })) }],
  packages: 'external',
});
// Parts of a benchmark run beside it: each process writes its own copy.
const file = `${folder}/bench-${process.pid}.mjs`;
writeFileSync(file, outputFiles[0].contents);
try {
  await import(pathToFileURL(file).href);
} finally {
  rmSync(file);
}
