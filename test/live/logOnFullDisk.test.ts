// Tests the log of a bot on a full disk: the bot reports it once, and writes the log again when there is room.

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'isobar-output-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Program that writes a line every 5 ms through the LogOutput of a bot, until there is room in the file again. */
const PROGRAM = `const { LogOutput, writeLine } = await import(${JSON.stringify(new URL('../../dist/tasks/bot/process/logOutput.js', import.meta.url).href)});
const output = new LogOutput(process.stdout, [process.stderr], {
  onClosed: (code) => process.stderr.write('lost ' + code + '\\n'),
  onLinesMissed: () => process.stderr.write('missed\\n'),
  onDiskFull: (code) => (writeLine(process.stderr, 'full ' + code + '\\n'), output.write('warned\\n')),
  onDiskFree: (lines) => (process.stderr.write('room\\n'), output.write('missing ' + lines + '\\n'), clearInterval(timer)),
});
let line = 0;
const timer = setInterval(() => output.write('line ' + String(line++).padStart(93, '.') + '\\n'), 5);`;

test.runIf(process.platform === 'linux')(
  'a bot whose disk is full writes its log again once there is room, and says how many lines are missing',
  async () => {
    const file = join(folder, 'bot.log');
    // No file may grow beyond 1 KiB: to the writer that looks like a full disk. Half of a line still fits.
    const command = `ulimit -f 1; exec "$0" --input-type=module -e "$1" >> "$2"`;
    const bot = spawn('bash', ['-c', command, process.execPath, PROGRAM, file], { stdio: ['ignore', 'ignore', 'pipe'] });
    let reportedText = '';
    bot.stderr.setEncoding('utf8').on('data', (chunk: string) => (reportedText += chunk));
    const whenEnded = new Promise((resolve) => void bot.once('close', resolve));
    await expect.poll(() => reportedText).toBe('full EFBIG\n');
    await new Promise((resolve) => void setTimeout(resolve, 50));
    const firstPart = readFileSync(file, 'utf8');
    expect(firstPart).toHaveLength(1024);
    truncateSync(file, 0);
    await whenEnded;
    // Both events are reported once, and every line is complete: the rest of the cut line comes first.
    expect(reportedText).toBe('full EFBIG\nroom\n');
    const lines = (firstPart + readFileSync(file, 'utf8')).trimEnd().split('\n');
    const numbers = lines.slice(0, -1).map((line) => Number(/^line \.*(\d+)$/.exec(line)![1]));
    expect(lines.slice(0, -1).every((line) => line.length === 98)).toBe(true);
    expect(numbers.slice(0, 11)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    // The warning about the full disk is also missing, hence one more.
    expect(lines.at(-1)).toBe(`missing ${numbers[11]! - 11 + 1}`);
  },
);
