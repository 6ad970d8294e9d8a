// The log of a bot in a file that cannot grow: reported once, and written again by a process of its own when there is room.

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'isobar-output-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Line after line through an Output, as a bot has it; ends when the line `end` is in the file. */
const BOT = `const { LogOutput, writeLine } = await import(${JSON.stringify(new URL('../../dist/tasks/bot/process/output.js', import.meta.url).href)});
const output = new LogOutput(process.stdout, [process.stderr], {
  lost: (code) => process.stderr.write('lost ' + code + '\\n'),
  missed: () => process.stderr.write('missed\\n'),
  full: (code) => (writeLine(process.stderr, 'full ' + code + '\\n'), output.write('warned\\n')),
  room: (lines) => (process.stderr.write('room\\n'), output.write('missing ' + lines + '\\n'), clearInterval(timer)),
});
let line = 0;
const timer = setInterval(() => output.write('line ' + String(line++).padStart(93, '.') + '\\n'), 5);`;

test.runIf(process.platform === 'linux')('a full disk silences the log for as long as it is full', async () => {
  const file = join(folder, 'bot.log');
  // No file may grow beyond 1 KiB: to the writer that looks like a full disk. Half of a line still fits.
  const command = `ulimit -f 1; exec "$0" --input-type=module -e "$1" >> "$2"`;
  const bot = spawn('bash', ['-c', command, process.execPath, BOT, file], { stdio: ['ignore', 'ignore', 'pipe'] });
  let reported = '';
  bot.stderr.setEncoding('utf8').on('data', (part: string) => (reported += part));
  const ended = new Promise((resolve) => void bot.once('close', resolve));
  await expect.poll(() => reported).toBe('full EFBIG\n');
  await new Promise((resolve) => void setTimeout(resolve, 50));
  const before = readFileSync(file, 'utf8');
  expect(before).toHaveLength(1024);
  truncateSync(file, 0);
  await ended;
  // Once each, and no whole line is cut: what was missing of the last one comes first.
  expect(reported).toBe('full EFBIG\nroom\n');
  const lines = (before + readFileSync(file, 'utf8')).trimEnd().split('\n');
  const numbers = lines.slice(0, -1).map((line) => Number(/^line \.*(\d+)$/.exec(line)![1]));
  expect(lines.slice(0, -1).every((line) => line.length === 98)).toBe(true);
  expect(numbers.slice(0, 11)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  // The warning is missing too.
  expect(lines.at(-1)).toBe(`missing ${numbers[11]! - 11 + 1}`);
});
