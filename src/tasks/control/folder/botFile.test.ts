// Tests that a damaged bot file is named as what it is, and another one than that of this version too.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readBotFile } from './botFile.ts';

test.each([
  ['', 'the file is damaged: 0 characters that are no JSON'],
  ['{\n "format": 1,\n "name": "tr', 'the file is damaged: 28 characters that are no JSON'],
  ['{"format":2,"access":{}}', 'expected the file of a bot of this version, got another'],
  ['null', 'expected the file of a bot of this version, got another'],
])('the bot file %j is refused with its reason', (text, problem) => {
  const folder = mkdtempSync(join(tmpdir(), 'isobar-bot-file-'));
  try {
    writeFileSync(join(folder, 'bot.json'), text, { mode: 0o600 });
    expect(() => readBotFile(folder)).toThrow(problem);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
