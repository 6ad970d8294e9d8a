// Tests the notes of running bots: none removes the note of another that runs, at its start or from another pid namespace.

import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { thisProcess, type ProcessIdentity } from '../../../adapters/disk/processes.ts';
import { noteBot, runningBots } from './runningBots.ts';

/** The state folder of the user. */
let stateFolder: string;
beforeEach(() => (stateFolder = mkdtempSync(join(tmpdir(), 'isobar-bots-'))));
afterEach(() => rmSync(stateFolder, { recursive: true, force: true }));

/** Writes the note of a bot in another pid namespace of this computer, or elsewhere, with its lock of the account. Returns its data folder. */
function writeOtherNote(name: string, changes: Partial<ProcessIdentity>): string {
  const dataFolder = join(stateFolder, name);
  const accounts = join(stateFolder, 'accounts', name);
  const { pid, started, namespace, boot, host } = { ...thisProcess(), namespace: '4026539999', ...changes };
  mkdirSync(accounts, { recursive: true });
  mkdirSync(join(stateFolder, 'bots'), { recursive: true });
  writeFileSync(join(accounts, `lock-${pid}-${started}-${namespace}-${boot}-${encodeURIComponent(host)}`), '');
  writeFileSync(
    join(stateFolder, 'bots', `${name}.json`),
    JSON.stringify({ data: dataFolder, process: { pid, started, namespace, boot, host } }),
  );
  return dataFolder;
}

it('a bot in another pid namespace stays noted and is found as long as it holds its lock, whatever its process id is here', () => {
  const otherDataFolder = writeOtherNote('sidecar', { pid: 2 ** 30, host: 'container' });
  const forget = noteBot(stateFolder, '/c');
  expect(runningBots(stateFolder)).toEqual(['/c', otherDataFolder]);
  rmSync(join(stateFolder, 'accounts'), { recursive: true });
  expect(runningBots(stateFolder)).toEqual(['/c']);
  forget();
  noteBot(stateFolder, '/d')();
  expect(readdirSync(join(stateFolder, 'bots'))).toEqual([]);
});

it('a bot of another computer that holds its lock stays noted, and is not found from here', () => {
  writeOtherNote('far', { boot: '0123456789ab', host: 'elsewhere.example' });
  noteBot(stateFolder, '/c')();
  expect(readdirSync(join(stateFolder, 'bots'))).toEqual(['far.json']);
  expect(runningBots(stateFolder)).toEqual([]);
});

it('a note that another bot is writing stays, and the note of a dead bot is removed', () => {
  mkdirSync(join(stateFolder, 'bots'));
  writeFileSync(join(stateFolder, 'bots', 'a.json.77.new'), '');
  const dead = { pid: 2 ** 30, started: '1', namespace: '0', boot: '0', host: 'elsewhere.example' };
  writeFileSync(join(stateFolder, 'bots', 'b.json'), JSON.stringify({ data: '/b', process: dead }));
  const forget = noteBot(stateFolder, '/c');
  expect(runningBots(stateFolder)).toEqual(['/c']);
  expect(readdirSync(join(stateFolder, 'bots'))).toEqual(['a.json.77.new', expect.stringMatching(/^[0-9a-f]{16}\.json$/)]);
  forget();
  expect(runningBots(stateFolder)).toEqual([]);
});
