// Tests the order, skipping and timing of checks, without an exchange.

import { expect, test } from 'vitest';
import { ConfigError } from '../../base/errors.ts';
import { failed, isHealthy, ok, skipped, doubtful, type DoctorCheck, type CheckFinding } from './context/check.ts';
import { runChecks } from './runChecks.ts';

/** Returns a check with this result, which notes that it ran. */
const check = (name: string, needs: readonly string[], finding: CheckFinding | Error, ranNames: string[] = []): DoctorCheck => ({
  name,
  market: name.startsWith('spot.') ? 'spot' : null,
  needs,
  async run() {
    ranNames.push(name);
    await Promise.resolve();
    if (finding instanceof Error) throw finding;
    return finding;
  },
});
const clock = (): (() => number) => {
  let nowMs = 0;
  return () => (nowMs += 2.4);
};

test('checks that depend on a failed check are skipped and refer to it', async () => {
  const ranNames: string[] = [];
  const plan = [
    check('key', [], ok('there'), ranNames),
    check('spot.dns', [], failed('gone', ['look']), ranNames),
    check('spot.tls', ['spot.dns'], ok(''), ranNames),
    check('spot.ping', ['key', 'spot.tls'], ok(''), ranNames),
    check('late', ['spot.ping'], ok(''), ranNames),
    check('limits', [], ok('none'), ranNames),
  ];
  const results = await runChecks(plan, clock());
  expect(ranNames).toEqual(['key', 'spot.dns', 'limits']);
  expect(results.map(({ name, status, detail }) => [name, status, detail])).toEqual([
    ['key', 'ok', 'there'],
    ['spot.dns', 'failed', 'gone'],
    ['spot.tls', 'skipped', 'because dns failed'],
    ['spot.ping', 'skipped', 'because dns failed'],
    ['late', 'skipped', 'because spot.dns failed'],
    ['limits', 'ok', 'none'],
  ]);
  expect(results[0]?.ms).toBe(2);
  expect(isHealthy(results)).toBe(false);
});

test('a check skipped for two reasons names the failed check, not the skipped one', async () => {
  const plan = [
    check('a', [], skipped('nothing there')),
    check('b', [], failed('no', [])),
    check('c', ['a', 'b'], ok('')),
    check('d', ['a'], ok('')),
  ];
  const results = await runChecks(plan, clock());
  expect(results.slice(2).map(({ detail }) => detail)).toEqual(['because b failed', 'because a was skipped']);
});

test('a check that depends on a warning runs, and a warning leaves the result healthy', async () => {
  const results = await runChecks([check('a', [], doubtful('hm', ['mend'])), check('b', ['a'], ok('fine'))], clock());
  expect(results.map(({ status }) => status)).toEqual(['warning', 'ok']);
  expect(isHealthy(results)).toBe(true);
});

test('a ConfigError becomes a failed check, and any other error is rethrown', async () => {
  const [finding] = await runChecks([check('a', [], new ConfigError('x.json: no JSON', 'mend it'))], clock());
  expect(finding).toMatchObject({ status: 'failed', detail: 'x.json: no JSON', fix: ['mend it'], isPrivate: true });
  await expect(runChecks([check('a', [], new TypeError('ours'))], clock())).rejects.toThrow('ours');
});

test('runChecks reports the start and the end of each check', async () => {
  const reported: string[] = [];
  await runChecks([check('a', [], ok('1')), check('b', [], ok('2'))], clock(), {
    started: ({ name }) => reported.push(`? ${name}`),
    finished: ({ name, status }) => reported.push(`${status} ${name}`),
  });
  expect(reported).toEqual(['? a', 'ok a', '? b', 'ok b']);
});
