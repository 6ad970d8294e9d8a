// Tests the notes of running bots: when several bots start at once, none removes the note of another.

import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { noteBot, runningBots } from './runningBots.ts';

let state: string;
beforeEach(() => (state = mkdtempSync(join(tmpdir(), 'isobar-bots-'))));
afterEach(() => rmSync(state, { recursive: true, force: true }));

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
