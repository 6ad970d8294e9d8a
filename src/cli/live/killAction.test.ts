// Tests `isobar kill` when the process behind the socket is no bot of this version. The kill then continues without the bot.

import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readKillSwitch } from '../../tasks/kill/killSwitch/killSwitch.ts';
import { resume } from './botActions.ts';
import { kill } from './killAction.ts';
import { lockByOtherProcess } from '../../../test/fixtures/lockedFolder.ts';

it.each([
  ['another version', '{"v":999,"id":1,"ok":true,"value":{}}\n'],
  ['an error', '{"v":1,"id":1,"ok":false,"problem":"no such request"}\n'],
])('the kill continues without the bot after a reply of %s', async (_, answer) => {
  const folder = mkdtempSync(join(tmpdir(), 'isobar-kill-'));
  const server = createServer((socket) => void socket.on('data', () => socket.write(answer))).listen(join(folder, 'control.sock'));
  try {
    await once(server, 'listening');
    const args = { data: folder, flatten: true, all: false, separate: false, 'give-up': '1s', why: 'a test', json: true };
    // The next file that the kill reads is the file of the bot, which does not exist.
    await expect(kill(args as never)).rejects.toThrow('bot.json: cannot be read (ENOENT)');
    expect(readKillSwitch(folder)).toMatchObject({ why: 'a test', flatten: true });
  } finally {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

it.each([
  ['kill.lock', 'closes the positions of this bot'],
  ['journal', 'has the journal of this bot and does not answer'],
])('a silent bot is not re-armed while a process has its %s', async (name, text) => {
  const folder = mkdtempSync(join(tmpdir(), 'isobar-kill-'));
  const child = lockByOtherProcess(join(folder, name));
  try {
    writeFileSync(join(folder, 'KILLED'), JSON.stringify({ sinceMs: 1, who: 'ann', why: 'a test', flatten: true }));
    const args = { data: folder, scope: 'account', code: 'KILLED', why: 'looked at it', json: true } as const;
    await expect(resume(args)).rejects.toThrow(`process ${child.pid} ${text}`);
    expect(existsSync(join(folder, 'KILLED'))).toBe(true);
    child.kill('SIGKILL');
    await once(child, 'exit');
    await resume(args);
    expect(existsSync(join(folder, 'KILLED'))).toBe(false);
  } finally {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
});
