// Tests that a kill ends the process of the bot, also of one whose lock file was removed while it ran.

import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { lockByOtherProcess } from '../../../../test/fixtures/lockedFolder.ts';
import { thisProcess } from '../../../adapters/disk/processes.ts';
import { endHolder } from './endProcess.ts';

/** Folder of the test: the state folder of the user, and the data folder of a bot. */
let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'isobar-end-'));
  vi.stubEnv('XDG_STATE_HOME', root);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(root, { recursive: true, force: true });
});

/** Notes that a process runs the bot of a data folder. */
function writeNote(dataFolder: string, pid: number): void {
  const notes = join(root, 'isobar', 'bots');
  mkdirSync(notes, { recursive: true });
  writeFileSync(join(notes, 'bot.json'), JSON.stringify({ data: dataFolder, process: { ...thisProcess(), pid, started: '0' } }));
}

it('a bot whose lock file was removed is ended as well, because it still writes its journal', async () => {
  const dataFolder = join(root, 'bot');
  const journal = join(dataFolder, 'journal');
  const child = lockByOtherProcess(journal);
  const ended = new Promise((resolve) => child.once('exit', (_, signal) => resolve(signal)));
  writeNote(dataFolder, child.pid!);
  for (const name of readdirSync(journal)) rmSync(join(journal, name));
  expect(await endHolder(journal)).toEqual({ pid: child.pid, isForced: false });
  expect(await ended).toBe('SIGTERM');
  expect(await endHolder(journal)).toBeNull();
});

it('the process of another bot is not ended', async () => {
  const child = lockByOtherProcess(join(root, 'other', 'journal'));
  writeNote(join(root, 'other'), child.pid!);
  mkdirSync(join(root, 'bot', 'journal'), { recursive: true });
  expect(await endHolder(join(root, 'bot', 'journal'))).toBeNull();
  expect(child.exitCode ?? child.signalCode).toBeNull();
  child.kill('SIGKILL');
});
