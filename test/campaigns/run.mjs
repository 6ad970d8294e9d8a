// Runs a test of random cases at campaign size: npm run campaign -- <name> [--cases N] [--seed N]
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('../..', import.meta.url));
const campaigns = readdirSync(new URL('.', import.meta.url))
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => file.slice(0, -'.test.ts'.length));

function fail(message) {
  console.error(`${message}\nusage: npm run campaign -- <${campaigns.join(' | ')}> [--cases 200000] [--seed 1]`);
  process.exit(2);
}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: { cases: { type: 'string', default: '200000' }, seed: { type: 'string', default: '1' } },
    });
  } catch (error) {
    return fail(error.message);
  }
}

const { values, positionals } = readArguments();
const [name] = positionals;
if (positionals.length !== 1 || !campaigns.includes(name)) fail(`no such campaign: ${positionals.join(' ') || '(none named)'}`);
for (const [key, value] of Object.entries(values)) if (!/^\d{1,9}$/.test(value)) fail(`--${key}: expected a whole number, got ${value}`);

const vitest = `${root}node_modules/vitest/vitest.mjs`;
if (!existsSync(vitest)) fail('vitest is not installed: run npm ci');
const { status } = spawnSync(
  process.execPath,
  [vitest, 'run', `test/campaigns/${name}.test.ts`, '--config', 'test/vitest.config.ts', '--disable-console-intercept'],
  { cwd: root, stdio: 'inherit', env: { ...process.env, ISOBAR_CASES: values.cases, ISOBAR_SEED: values.seed } },
);
process.exit(status ?? 1);
