// Tests key files: their owner, mode and content, and that git does not track them.

import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { KEY, KeyFixture, refusal, SECRET } from '../../test/fixtures/keyFixture.ts';
import { readKeyFile } from './keyFile.ts';
import { accessSettings } from './settings.ts';

let fixture: KeyFixture;
let folder = '';
beforeEach(() => {
  fixture = new KeyFixture();
  folder = fixture.folder;
});
afterEach(() => fixture.remove());

const keyFile = (name: string, text: string, mode = 0o600): string => fixture.file(name, text, mode);

describe('key files', () => {
  test.each([0o640, 0o604, 0o644, 0o660, 0o620, 0o602, 0o610, 0o601, 0o666, 0o777])('a key file of mode %o is rejected', (mode) => {
    const path = keyFile('key', KEY, mode);
    const { message, remedy } = refusal(() => readKeyFile(path, 'keyFile'));
    expect(message).toContain(`expected mode 0600 or tighter, got ${mode.toString(8).padStart(4, '0')}`);
    expect(remedy).toBe(`chmod 600 ${path}`);
  });

  test('the remedy for the mode is a command that a shell accepts', () => {
    const path = keyFile('my key', KEY, 0o644);
    expect(refusal(() => readKeyFile(path, 'keyFile')).remedy).toBe(`chmod 600 '${path}'`);
  });

  test.each([0o600, 0o400, 0o700, 0o500])('a key file of mode %o is accepted', (mode) => {
    expect(readKeyFile(keyFile('key', KEY, mode), 'keyFile').take()).toBe(KEY);
  });

  test('a symbolic link is rejected, even one to a valid key file', () => {
    symlinkSync(keyFile('key', KEY), join(folder, 'link'));
    expect(refusal(() => readKeyFile(join(folder, 'link'), 'keyFile')).message).toMatch(/got a symbolic link/);
  });

  test.skipIf(process.getuid?.() === 0)('a key file of root is rejected', () => {
    expect(refusal(() => readKeyFile('/etc/hostname', 'keyFile')).message).toMatch(/got one of user 0/);
  });

  test('a key file of another owner is rejected', () => {
    if (process.getuid?.() !== 0) return;
    const path = keyFile('key', KEY);
    execFileSync('chown', ['65534', path]);
    expect(refusal(() => readKeyFile(path, 'keyFile')).message).toMatch(
      /expected a file of the user who runs isobar \(0\), got one of user 65534/,
    );
  });

  test.each<[string, () => string, RegExp]>([
    ['a folder', () => folder, /got something else/],
    [
      'a pipe, without waiting for it',
      () => (execFileSync('sh', ['-c', 'mkfifo -m 600 "$0"', join(folder, 'pipe')]), join(folder, 'pipe')),
      /got something else/,
    ],
    ['a missing file', () => join(folder, 'none'), /no such file/],
    ['an empty file', () => keyFile('empty', ' \n'), /got nothing/],
    ['several lines', () => keyFile('lines', `${KEY}\n${SECRET}\n`), /got several lines/],
    ['a large file', () => keyFile('large', 'x'.repeat(2000)), /more than 1024 bytes/],
  ])('a key file is rejected: %s', (_, path, message) => {
    const error = refusal(() => readKeyFile(path(), 'keyFile'));
    expect(error.message).toMatch(message);
    expect(error.message + error.remedy).not.toContain(KEY);
  });

  test('a key in place of a path is not shown', () => {
    const error = refusal(() => accessSettings({}, { ISOBAR_API_KEY_FILE: KEY, ISOBAR_API_SECRET: SECRET }));
    expect(error.message).toMatch(/^ISOBAR_API_KEY_FILE .*\[redacted\]: no such file$/);
    expect(inspect(error)).not.toContain(KEY);
  });
});

describe('files that git tracks', () => {
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@x', ...args], { cwd: folder, stdio: 'pipe', encoding: 'utf8' });
  /** Creates three key files. `deep/er/kex` differs from a path that git tracks in its last letter only. */
  const createKeyFiles = () => ['key', 'deep/er/key', 'deep/er/kex'].map((name) => keyFile(name, KEY));

  test.each<[string, readonly (readonly string[])[]]>([
    ['an index of version 2', [['init', '-q']]],
    ['an index of version 3', [['init', '-q']]],
    [
      'an index of version 4',
      [
        ['init', '-q'],
        ['config', 'index.version', '4'],
      ],
    ],
    ['SHA-256', [['init', '-q', '--object-format=sha256']]],
    [
      'a split index',
      [
        ['init', '-q'],
        ['config', 'core.splitIndex', 'true'],
        ['config', 'splitIndex.maxPercentChange', '0'],
      ],
    ],
  ])('a key file that git tracks is rejected: %s', (name, setUp) => {
    const [top, deep, other] = createKeyFiles();
    for (const command of setUp) git(...command);
    for (let i = 0; i < 20; i++) keyFile(`deep/${i}.txt`, '');
    git('add', 'deep/er/key', 'deep/1.txt', 'deep/19.txt');
    // `add -N` gives an entry additional flags, for which git writes version 3.
    const hasIntentToAdd = name === 'an index of version 3';
    if (hasIntentToAdd) git('add', '-N', 'deep/2.txt');
    expect(() => readKeyFile(top!, 'keyFile')).not.toThrow();
    expect(() => readKeyFile(other!, 'keyFile')).not.toThrow();
    expect(refusal(() => readKeyFile(deep!, 'keyFile')).message).toMatch(/got one that git tracks/);
    git('add', 'key');
    expect(refusal(() => readKeyFile(top!, 'keyFile')).remedy).toMatch(/revoke this one/);
    git('rm', '-q', '--cached', 'deep/er/key');
    expect(() => readKeyFile(deep!, 'keyFile')).not.toThrow();
  });

  test('a tracked key file in a worktree is rejected, also through a link to its folder', () => {
    git('init', '-q', 'main');
    const main = join(folder, 'main');
    execFileSync('git', ['-C', main, '-c', 'user.name=x', '-c', 'user.email=x@x', 'commit', '-q', '--allow-empty', '-m', 'x']);
    execFileSync('git', ['-C', main, 'worktree', 'add', '-q', join(folder, 'tree')]);
    const path = keyFile('tree/key', KEY);
    symlinkSync(join(folder, 'tree'), join(folder, 'link'));
    expect(() => readKeyFile(path, 'keyFile')).not.toThrow();
    execFileSync('git', ['-C', join(folder, 'tree'), 'add', 'key']);
    expect(refusal(() => readKeyFile(path, 'keyFile')).message).toMatch(/git tracks/);
    expect(refusal(() => readKeyFile(join(folder, 'link', 'key'), 'keyFile')).message).toMatch(/git tracks/);
  });
});
