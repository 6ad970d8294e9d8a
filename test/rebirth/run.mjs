// Kills live bots and compares them with bots that were never killed. See `usage` below.
import { rmSync } from 'node:fs';
import { bundleBuilt, readArguments, runBuilt } from '../fixtures/runBuilt.mjs';

const usage = 'node test/rebirth/run.mjs [--kills N] [--seed N] [--jobs N] [--bars N] [--life SEED] [strategy ...]';
const textOption = { type: 'string' };
const givenOptions = readArguments({
  options: { kills: textOption, seed: textOption, jobs: textOption, bars: textOption, life: textOption },
  usage,
  whole: ['kills', 'seed', 'jobs', 'bars', 'life'],
  allowPositionals: true,
});
const program = await bundleBuilt('rebirthBot', new URL('botProcess.ts', import.meta.url), usage);
try {
  await runBuilt('rebirth', new URL('main.ts', import.meta.url), { ...givenOptions, program }, usage);
} finally {
  rmSync(program, { force: true });
}
