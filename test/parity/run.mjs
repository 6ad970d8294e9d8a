// Runs every shipped strategy as a backtest and as a live bot over HTTP on the same bars: npm run parity -- [--json] [--bars N] [name ...]
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));

function fail(message) {
  console.error(`${message}\nusage: npm run parity -- [--json] [--bars N] [--folder DIR] [--verbose] [name ...]`);
  process.exit(2);
}

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { json: { type: 'boolean' }, bars: { type: 'string' }, folder: { type: 'string' }, verbose: { type: 'boolean' } },
    });
    if (values.bars !== undefined && !/^[1-9]\d{0,6}$/.test(values.bars))
      fail(`--bars: expected a whole number above 0, got ${values.bars}`);
    return { ...values, names: positionals };
  } catch (error) {
    return fail(error.message);
  }
}

const options = readArguments();
if (!existsSync(join(root, 'dist/cli/isobar.js'))) fail('the package is not built: run npm run build');

/** The program is the built one, of which strategies see the same classes; what stands here alone is compiled. */
const built = {
  name: 'built',
  setup({ onResolve }) {
    onResolve({ filter: /\/src\/.*\.ts$/ }, ({ path, resolveDir }) => ({
      path: pathToFileURL(join(root, 'dist', relative(join(root, 'src'), join(resolveDir, path))).replace(/\.ts$/, '.js')).href,
      external: true,
    }));
  },
};

const outfile = join(root, 'node_modules/.cache/isobar', `parity-${process.pid}.mjs`);
mkdirSync(dirname(outfile), { recursive: true });
await build({
  entryPoints: [fileURLToPath(new URL('main.ts', import.meta.url))],
  outfile,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  packages: 'external',
  sourcemap: 'inline',
  define: { ROOT: JSON.stringify(root) },
  plugins: [built],
});
try {
  const { main } = await import(pathToFileURL(outfile).href);
  process.exitCode = await main(options);
} finally {
  rmSync(outfile);
}
