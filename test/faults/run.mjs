// Each fault of the catalogue over real sockets: npm run faults -- [--json] [--orders N] [--only FAULT,...]
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));

function fail(message) {
  console.error(
    `${message}\nusage: npm run faults -- [--json] [--orders 500] [--only FAULT,...] [--seed 1] [--speed 10] [--jobs 4] [--verbose]`,
  );
  process.exit(2);
}

function readArguments() {
  const text = { type: 'string' };
  const flag = { type: 'boolean' };
  try {
    const { values } = parseArgs({ options: { json: flag, orders: text, only: text, seed: text, speed: text, jobs: text, verbose: flag } });
    for (const name of ['orders', 'seed', 'speed', 'jobs'])
      if (values[name] !== undefined && !/^[1-9]\d{0,5}$/.test(values[name]))
        fail(`--${name}: expected a whole number above 0, got ${values[name]}`);
    return values;
  } catch (error) {
    return fail(error.message);
  }
}

const options = readArguments();
if (!existsSync(join(root, 'dist/cli/isobar.js'))) fail('the package is not built: run npm run build');

/** The program is the built one, as the exchange beside it is; what stands here alone is compiled. */
const built = {
  name: 'built',
  setup({ onResolve }) {
    onResolve({ filter: /\/src\/.*\.ts$/ }, ({ path, resolveDir }) => ({
      path: pathToFileURL(join(root, 'dist', relative(join(root, 'src'), join(resolveDir, path))).replace(/\.ts$/, '.js')).href,
      external: true,
    }));
  },
};

const outfile = join(root, 'node_modules/.cache/isobar', `faults-${process.pid}.mjs`);
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
