// Runs a test of random cases at campaign size: npm run campaign -- <name> [--cases N] [--seed N] [--only TEXT] [--jobs N] [--json]
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('../..', import.meta.url));
const campaigns = readdirSync(new URL('.', import.meta.url))
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => file.slice(0, -'.test.ts'.length));

/** Prints a problem and the usage, and exits with 2. */
function fail(message) {
  console.error(
    `${message}\nusage: npm run campaign -- <${campaigns.join(' | ')}> [--cases 200000] [--seed 1] [--only TEXT] [--jobs 3] [--json]`,
  );
  process.exit(2);
}

/** Returns the arguments of the command line. */
function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        cases: { type: 'string', default: '200000' },
        seed: { type: 'string', default: '1' },
        // A part of the names of the tests to run.
        only: { type: 'string', default: '' },
        // Maximum number of concurrent tests.
        jobs: { type: 'string', default: '3' },
        // True: stdout has only the results, one JSON object a line. The output of the test runner goes to stderr.
        json: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    return fail(error.message);
  }
}

const { values, positionals } = readArguments();
const [name] = positionals;
if (positionals.length !== 1 || !campaigns.includes(name)) fail(`no such campaign: ${positionals.join(' ') || '(none named)'}`);
for (const key of ['cases', 'seed', 'jobs'])
  if (!/^\d{1,9}$/.test(values[key])) fail(`--${key}: expected a whole number, got ${values[key]}`);

const vitest = `${root}node_modules/vitest/vitest.mjs`;
if (!existsSync(vitest)) fail('vitest is not installed: run npm ci');
const nameFilter = values.only === '' ? [] : ['-t', values.only.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&')];
const vitestArgs = ['--config', 'test/vitest.config.ts', '--disable-console-intercept', `--maxConcurrency=${values.jobs}`, ...nameFilter];
const folder = mkdtempSync(join(tmpdir(), 'isobar-campaign-'));
const results = join(folder, 'results.jsonl');
writeFileSync(results, '');
const { status } = spawnSync(process.execPath, [vitest, 'run', `test/campaigns/${name}.test.ts`, ...vitestArgs], {
  cwd: root,
  stdio: ['inherit', values.json ? 2 : 'inherit', 'inherit'],
  env: { ...process.env, ISOBAR_CASES: values.cases, ISOBAR_SEED: values.seed, ISOBAR_RESULTS: results },
});
const resultLines = readFileSync(results, 'utf8');
rmSync(folder, { recursive: true });
if (values.json) process.stdout.write(resultLines);
process.exitCode = status ?? 1;
