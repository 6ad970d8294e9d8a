// Tests the notes of running bots: none removes the note of another that runs, at its start or from another pid namespace.

import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { thisProcess, type ProcessIdentity } from '../../../adapters/disk/processes.ts';
import { noteBot, runningBots } from './runningBots.ts';

/** The state folder of the user. */
let state: string;
beforeEach(() => (state = mkdtempSync(join(tmpdir(), 'isobar-bots-'))));
afterEach(() => rmSync(state, { recursive: true, force: true }));

/** Writes the note of a bot in another pid namespace of this computer, or elsewhere, with its lock of the account. Returns its data folder. */
function writeOtherNote(name: string, changes: Partial<ProcessIdentity>): string {
  const data = join(state, name);
  const accounts = join(state, 'accounts', name);
  const { pid, started, namespace, boot, host } = { ...thisProcess(), namespace: '4026539999', ...changes };
  mkdirSync(accounts, { recursive: true });
  mkdirSync(join(state, 'bots'), { recursive: true });
  writeFileSync(join(accounts, `lock-${pid}-${started}-${namespace}-${boot}-${encodeURIComponent(host)}`), '');
  writeFileSync(join(state, 'bots', `${name}.json`), JSON.stringify({ data, process: { pid, started, namespace, boot, host } }));
  return data;
}

it('a bot in another pid namespace stays noted and is found as long as it holds its lock, whatever its process id is here', () => {
  const data = writeOtherNote('sidecar', { pid: 2 ** 30, host: 'container' });
  const forget = noteBot(state, '/c');
  expect(runningBots(state)).toEqual(['/c', data]);
  rmSync(join(state, 'accounts'), { recursive: true });
  expect(runningBots(state)).toEqual(['/c']);
  forget();
  noteBot(state, '/d')();
  expect(readdirSync(join(state, 'bots'))).toEqual([]);
});

it('a bot of another computer that holds its lock stays noted, and is not found from here', () => {
  writeOtherNote('far', { boot: '0123456789ab', host: 'elsewhere.example' });
  noteBot(state, '/c')();
  expect(readdirSync(join(state, 'bots'))).toEqual(['far.json']);
  expect(runningBots(state)).toEqual([]);
});

it('a note that another bot is writing stays, and the note of a dead bot is removed', () => {
  mkdirSync(join(state, 'bots'));
  writeFileSync(join(state, 'bots', 'a.json.77.new'), '');
  const dead = { pid: 2 ** 30, started: '1', namespace: '0', boot: '0', host: 'elsewhere.example' };
  writeFileSync(join(state, 'bots', 'b.json'), JSON.stringify({ data: '/b', process: dead }));
  const forget = noteBot(state, '/c');
  expect(runningBots(state)).toEqual(['/c']);
  expect(readdirSync(join(state, 'bots'))).toEqual(['a.json.77.new', expect.stringMatching(/^[0-9a-f]{16}\.json$/)]);
  forget();
  expect(runningBots(state)).toEqual([]);
});
