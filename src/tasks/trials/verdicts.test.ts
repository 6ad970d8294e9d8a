// Verdicts in the ledger: which of several verdicts about one code counts.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { DecidingVerdict, ProofKey } from '../../model/run/proof.ts';
import { appendLine, readLedgers } from './ledger.ts';
import { codeVerdict, verdictFor } from './verdicts.ts';

let folder = '';
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'isobar-verdicts-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const KEY: ProofKey = { code: 'c', data: 'd', settings: 's' };
const at = (day: number): string => `2026-01-0${day}T00:00:00.000Z`;

function proved(verdict: DecidingVerdict, day: number, key: Partial<ProofKey> = {}): void {
  const rest = { why: null, proofs: [], bars: 9, from: at(1), to: at(2), version: '0' };
  const about = { strategy: 'A', feeds: ['spot:BTCUSDT 1h'] };
  appendLine(folder, { kind: 'proof', format: 'isobar ledger 1', ...about, ...KEY, ...key, ...rest, verdict, madeAt: at(day) });
}

function ran(verdict: DecidingVerdict, day: number, key: Partial<ProofKey> = {}): void {
  const proof = { ...KEY, ...key, verdict, from: 'sample' as const };
  const rest = { name: 'a', strategy: 'A', bars: ['spot:ETHUSDT 1m'], parts: [], figures: {} };
  appendLine(folder, { kind: 'run', format: 'isobar ledger 1', ...rest, startedAt: at(day), proof });
}

const stands = (): string | null => {
  const found = codeVerdict(folder, 'c');
  return found === null ? null : `${found.verdict} ${found.from} ${found.madeAt.slice(8, 10)} ${found.feeds.join()}`;
};

test('code without a verdict has none', () => {
  expect(stands()).toBeNull();
  proved('proved', 1, { code: 'another' });
  ran('proved', 1, { code: 'another' });
  proved('not-proved', 2);
  ran('not-proved', 2, { data: 'more' });
  expect(stands()).toBeNull();
  // The file of proofs is not a sweep.
  expect(readLedgers(folder)).toEqual([]);
});

test('a run with a proved sample proves its code, and isobar prove says more', () => {
  ran('proved', 1);
  expect(stands()).toBe('proved sample 01 spot:ETHUSDT 1m');
  proved('proved', 2, { data: 'more' });
  ran('proved', 3, { data: 'others' });
  expect(stands()).toBe('proved prove 02 spot:BTCUSDT 1h');
});

test('a refuted sample outranks any proved one, until isobar prove is run again for the same data and settings', () => {
  proved('proved', 1, { data: 'more' });
  ran('refuted', 2);
  expect(stands()).toBe('refuted sample 02 spot:ETHUSDT 1m');
  proved('refuted', 3);
  expect(stands()).toBe('refuted prove 03 spot:BTCUSDT 1h');
  proved('proved', 4);
  expect(stands()).toBe('proved prove 04 spot:BTCUSDT 1h');
  ran('refuted', 5);
  expect(stands()).toBe('proved prove 04 spot:BTCUSDT 1h');
});

test('the newest verdict of isobar prove is found for exactly the same code, data and settings', () => {
  proved('refuted', 1);
  proved('proved', 2);
  for (const key of ['code', 'data', 'settings'] as const) {
    proved('refuted', 3, { [key]: 'another' });
    expect(verdictFor(folder, { ...KEY, [key]: 'unknown' })).toBeNull();
  }
  ran('refuted', 4);
  expect(verdictFor(folder, KEY)).toEqual({ verdict: 'proved', from: 'prove', why: null, proofs: [], bars: 9, ...KEY, madeAt: at(2) });
});
