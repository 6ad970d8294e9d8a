// Tests a stored ban on a real disk: it survives restarts, and a damaged record never allows calls before the ban ends.

import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { DueQueue } from '../../../ports/dueQueue.ts';
import { FileBanStore } from './fileBanStore.ts';
import { Limiter, type LimitEvent, type LimitRefusal } from '../limits/limiter.ts';

const START_MS = Date.UTC(2026, 0, 5);
const root = mkdtempSync(join(tmpdir(), 'isobar-bans-'));
afterAll(() => rmSync(root, { recursive: true }));

let folder: string;
let path: string;
let folderCount = 0;
beforeEach(() => {
  folder = join(root, `run${folderCount++}`, 'state');
  path = join(folder, 'exchange.json');
});

/** Starts a process at a time, requests one call, and gives it a reply with this HTTP status if it was sent. */
function requestAt(atMs: number, status: number): { sentCount: number; refusals: LimitRefusal[]; events: LimitEvent[] } {
  const queue = new DueQueue();
  queue.runDue(atMs);
  const events: LimitEvent[] = [];
  const limiter = new Limiter(queue, { bans: new FileBanStore(path), onEvent: (event) => events.push(event) });
  let sentCount = 0;
  const refusals: LimitRefusal[] = [];
  limiter.acquire(
    'spot.cancelOrder',
    'cancel',
    (ticket) => {
      sentCount++;
      ticket.finish(status, null, null);
    },
    (reason) => refusals.push(reason),
  );
  return { sentCount, refusals, events };
}

describe('a ban in a file', () => {
  it('a ban in a file holds across restarts, and the next one is twice as long', () => {
    expect(requestAt(START_MS, 200).sentCount).toBe(1);
    expect(existsSync(path)).toBe(false);
    expect(requestAt(START_MS, 418).events).toHaveLength(1);
    for (const ms of [0, 1, 100_000, 299_999])
      expect(requestAt(START_MS + ms, 418)).toMatchObject({ sentCount: 0, refusals: [{ kind: 'banned' }] });
    expect(requestAt(START_MS + 300_000, 418).sentCount).toBe(1);
    expect(requestAt(START_MS + 899_999, 418).sentCount).toBe(0);
    expect(requestAt(START_MS + 900_000, 200).sentCount).toBe(1);
  });

  it('a ban in a file that begins in the future, because the clock was set back, is served once over all starts', () => {
    const HOUR_MS = 3_600_000;
    expect(requestAt(START_MS + HOUR_MS, 418).sentCount).toBe(1);
    // A supervisor starts the bot again every minute. The ban lasts 5 minutes from the first of these starts.
    const sentCount = [0, 1, 2, 3, 4, 5].map((minute) => requestAt(START_MS + minute * 60_000, 200).sentCount);
    expect(sentCount).toEqual([0, 0, 0, 0, 0, 1]);
  });

  it('a ban in a file is the only file of its folder, readable only by its owner', () => {
    requestAt(START_MS, 418);
    requestAt(START_MS + 300_000, 418);
    expect(readdirSync(folder)).toEqual(['exchange.json']);
    if (process.platform !== 'win32') expect([statSync(path).mode & 0o777, statSync(folder).mode & 0o777]).toEqual([0o600, 0o700]);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
      version: 1,
      sinceMs: START_MS + 300_000,
      untilMs: START_MS + 900_000,
      strikes: 2,
      says: 'HTTP 418: nothing is sent before 2026-01-05T00:15:00.000Z',
    });
  });

  it('a ban in a file is not changed by a temporary file of a process that died while writing', () => {
    requestAt(START_MS, 418);
    writeFileSync(`${path}.4711.tmp`, '{"version":1,"sin');
    expect(requestAt(START_MS + 1000, 418).refusals).toMatchObject([{ kind: 'banned', retryAtMs: START_MS + 300_000 }]);
  });

  it('a ban in a file that is cut at any byte is in force until a person removes the file', () => {
    requestAt(START_MS, 418);
    const recordBytes = readFileSync(path);
    // The last byte is the line break. Without it the record is still complete.
    for (let length = 0; length < recordBytes.length - 1; length++) {
      writeFileSync(path, recordBytes.subarray(0, length));
      const { sentCount, refusals } = requestAt(START_MS + 86_400_000 * 9, 200);
      expect(sentCount, `${length} bytes`).toBe(0);
      expect(refusals).toEqual([
        {
          kind: 'banned',
          message:
            `spot.cancelOrder is not sent: ${path}: the record of a ban is not what isobar wrote, ` +
            'so that the exchange may have banned this address; nothing is sent',
          remedy: `wait until the exchange does not answer 418 any more, a day if you do not know; then remove ${path} and start again`,
          retryAtMs: Infinity,
        },
      ]);
    }
    rmSync(path);
    expect(requestAt(START_MS, 200).sentCount).toBe(1);
  });

  it.each([
    ['another version', { version: 2 }],
    ['a time that is text', { untilMs: '1' }],
    ['an end before its beginning', { untilMs: START_MS - 1 }],
    ['a time that is not a whole number', { sinceMs: 0.5 }],
    ['no strikes', { strikes: 0 }],
    ['too many strikes', { strikes: 65 }],
    ['more than a record holds', { says: 'x'.repeat(5000) }],
  ])('a ban in a file with %s is unreadable', (_, change) => {
    requestAt(START_MS, 418);
    writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), ...change }));
    expect(new FileBanStore(path).read()).toHaveProperty('unreadable');
  });

  it.each([['null'], ['[]'], ['"x"'], ['7']])('a ban in a file with the text %s is unreadable', (text) => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path, text);
    expect(new FileBanStore(path).read()).toHaveProperty('unreadable');
  });

  it('a file of bans that cannot be opened counts as a ban', () => {
    mkdirSync(path, { recursive: true });
    expect(requestAt(START_MS, 200).refusals).toMatchObject([
      { message: expect.stringContaining('cannot be read (EISDIR)'), retryAtMs: Infinity },
    ]);
  });

  it('a ban in a file that cannot be written holds in this process, and is reported to a person', () => {
    mkdirSync(join(folder, '..'), { recursive: true });
    writeFileSync(folder, 'a file where the folder would be');
    const queue = new DueQueue();
    queue.runDue(START_MS);
    const events: LimitEvent[] = [];
    const store = new FileBanStore(path);
    const limiter = new Limiter(queue, {
      bans: { read: () => null, write: (ban) => store.write(ban) },
      onEvent: (event) => events.push(event),
    });
    limiter.acquire(
      'spot.ping',
      'steady',
      (ticket) => ticket.finish(418, null, null),
      () => {},
    );
    expect(events.map(({ kind }) => kind)).toEqual(['banNotSaved', 'banned']);
    expect(limiter.state.bannedUntilMs).toBe(START_MS + 300_000);
  });
});
