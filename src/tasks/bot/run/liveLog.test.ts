// Tests the log of a live bot: one line an event for any text, and never a secret.

import { expect, test } from 'vitest';
import { formatTime } from '../../../model/time.ts';
import { LiveLog, type LogLevel } from './liveLog.ts';

/** Returns a log and the lines that it has written. The log hides the secret `s3cret`. */
function createLog({ isPretty = true, level = 'info' }: { readonly isPretty?: boolean; readonly level?: LogLevel }) {
  const lines: string[] = [];
  const log = new LiveLog({
    write: (line) => lines.push(line),
    isPretty,
    nowMs: () => 1_700_000_000_000,
    formatTime,
    removeSecrets: (text) => text.replaceAll('s3cret', '****'),
    level,
  });
  return { log, lines };
}

test('a JSON log line has the time and the simple fields, and names the kind of any other field', () => {
  const { log, lines } = createLog({ isPretty: false });
  log.info('filled', { qty: '1', deep: { secret: 's3cret' }, call: () => 1, at: 5 });
  expect(JSON.parse(lines[0]!)).toEqual({
    level: 'info',
    time: '2023-11-14T22:13:20.000Z',
    qty: '1',
    deep: '(object)',
    call: '(function)',
    at: 5,
    msg: 'filled',
  });
});

test('a field cannot take the place of the time, the level or the message of its line', () => {
  const { log, lines } = createLog({ isPretty: false });
  log.info('score', { time: 1, level: 'error', msg: 'forged', code: 'A' });
  expect(JSON.parse(lines[0]!)).toEqual({
    level: 'info',
    time: '2023-11-14T22:13:20.000Z',
    'fields.time': 1,
    'fields.level': 'error',
    'fields.msg': 'forged',
    code: 'A',
    msg: 'score',
  });
  // A JSON object with the same name twice reads as the last one, so the text is checked too.
  expect(lines[0]!.match(/"(time|level|msg)":/g)).toEqual(['"level":', '"time":', '"msg":']);
});

test.each([true, false])('the name of a field shows no secret and no control character (on a terminal: %s)', (isPretty) => {
  const { log, lines } = createLog({ isPretty });
  log.info('score', { 's3cret\u001b[2J': 1 });
  expect(lines[0]).not.toContain('s3cret');
  // oxlint-disable-next-line no-control-regex -- the test searches for them
  expect(lines[0]!.slice(0, -1)).not.toMatch(/[\u0000-\u001f]|u001b/);
});

test.each([true, false])('log lines show no secrets and no control characters (on a terminal: %s)', (isPretty) => {
  const { log, lines } = createLog({ isPretty });
  log.warn('the key s3cret\n\u001b[2Jforged line', { why: 's3cret\r\n' });
  expect(lines).toHaveLength(1);
  expect(lines[0]).not.toContain('s3cret');
  // oxlint-disable-next-line no-control-regex -- the test searches for them
  expect(lines[0]!.slice(0, -1)).not.toMatch(/[\u0000-\u001f]/);
});

test('a log line of a very long text is cut', () => {
  const { log, lines } = createLog({});
  log.info('x'.repeat(10_000));
  expect(lines[0]!.length).toBeLessThan(600);
});

test('the log keeps the newest 200 decisions and the newest lines for requests', () => {
  const { log } = createLog({});
  for (let seq = 1; seq <= 250; seq++) log.logDecision('Cross', `decision ${seq}`, seq % 2 === 0 ? 'CODE' : null);
  expect(log.decisions).toHaveLength(200);
  expect(log.decisions.at(-1)).toMatchObject({ seq: 250, strategy: 'Cross', message: 'decision 250', code: 'CODE' });
  expect(log.linesAfter(248, 10).map(({ message }) => message)).toEqual(['Cross: decision 249', 'Cross: decision 250']);
  expect(log.linesAfter(0, 3)).toHaveLength(3);
});

test.each([true, false])('with the level warn, a log writes warnings and no info lines (on a terminal: %s)', (isPretty) => {
  const { log, lines } = createLog({ isPretty, level: 'warn' });
  log.info('filled');
  log.warn('late bar');
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('late bar');
});

test('log lines below the level are kept for requests but not written', () => {
  const { log, lines } = createLog({});
  log.debug('detail');
  expect(lines).toEqual([]);
  expect(log.linesAfter(0, 1)).toMatchObject([{ level: 'debug', message: 'detail' }]);
  const debugLog = createLog({ level: 'debug' });
  debugLog.log.debug('detail');
  expect(debugLog.lines).toHaveLength(1);
});
