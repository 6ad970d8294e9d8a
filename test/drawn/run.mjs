// Kills live bots of drawn strategies, and compares them with bots that were never killed. See `usage` below.
import { rmSync } from 'node:fs';
import { bundleBuilt, readArguments, runBuilt } from '../fixtures/runBuilt.mjs';

const usage = 'node test/drawn/run.mjs [--cases N] [--seed N] [--kills N] [--bars N] [--jobs N]';
const text = { type: 'string' };
const given = readArguments({
  options: { cases: text, seed: text, kills: text, bars: text, jobs: text },
  usage,
  whole: ['cases', 'seed', 'kills', 'bars', 'jobs'],
});
const program = await bundleBuilt('drawnBot', new URL('../rebirth/botProcess.ts', import.meta.url), usage);
try {
  await runBuilt('drawn', new URL('main.ts', import.meta.url), { ...given, program }, usage);
} finally {
  rmSync(program, { force: true });
}
