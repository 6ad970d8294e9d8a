// Tests which of several verdicts about one code counts.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { DecidingVerdict, ProofKey } from '../../model/run/proof.ts';
import { appendLine, readLedgers } from './trialLedger.ts';
import { codeVerdict, verdictFor } from './verdicts.ts';

let folder = '';
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'isobar-verdicts-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const PROOF_KEY: ProofKey = { code: 'c', data: 'd', settings: 's' };
const timeOfDay = (day: number): string => `2026-01-0${day}T00:00:00.000Z`;

/** Appends a proof with this verdict to the ledger. */
function writeProof(verdict: DecidingVerdict, day: number, key: Partial<ProofKey> = {}): void {
  const commonFields = { why: null, proofs: [], bars: 9, from: timeOfDay(1), to: timeOfDay(2), version: '0' };
  const about = { strategy: 'A', feeds: ['spot:BTCUSDT 1h'] };
  appendLine(folder, {
    kind: 'proof',
    format: 'isobar ledger 1',
    ...about,
    ...PROOF_KEY,
    ...key,
    ...commonFields,
    verdict,
    madeAt: timeOfDay(day),
  });
}

function writeRun(verdict: DecidingVerdict, day: number, key: Partial<ProofKey> = {}): void {
  const proof = { ...PROOF_KEY, ...key, verdict, from: 'sample' as const };
  const commonFields = { name: 'a', strategy: 'A', bars: ['spot:ETHUSDT 1m'], parts: [], figures: {} };
  appendLine(folder, { kind: 'run', format: 'isobar ledger 1', ...commonFields, startedAt: timeOfDay(day), proof });
}

const verdictText = (): string | null => {
  const verdict = codeVerdict(folder, 'c');
  return verdict === null ? null : `${verdict.verdict} ${verdict.from} ${verdict.madeAt.slice(8, 10)} ${verdict.feeds.join()}`;
};

test('code has no verdict if only other code or undecided proofs were written', () => {
  expect(verdictText()).toBeNull();
  writeProof('proved', 1, { code: 'another' });
  writeRun('proved', 1, { code: 'another' });
  writeProof('not-proved', 2);
  writeRun('not-proved', 2, { data: 'more' });
  expect(verdictText()).toBeNull();
  // The file of proofs is not a sweep.
  expect(readLedgers(folder)).toEqual([]);
});

test('a run with a proved sample proves its code, and a verdict of isobar prove replaces it', () => {
  writeRun('proved', 1);
  expect(verdictText()).toBe('proved sample 01 spot:ETHUSDT 1m');
  writeProof('proved', 2, { data: 'more' });
  writeRun('proved', 3, { data: 'others' });
  expect(verdictText()).toBe('proved prove 02 spot:BTCUSDT 1h');
});

test('a refuted sample outranks any proved one, until isobar prove is run again for the same data and settings', () => {
  writeProof('proved', 1, { data: 'more' });
  writeRun('refuted', 2);
  expect(verdictText()).toBe('refuted sample 02 spot:ETHUSDT 1m');
  writeProof('refuted', 3);
  expect(verdictText()).toBe('refuted prove 03 spot:BTCUSDT 1h');
  writeProof('proved', 4);
  expect(verdictText()).toBe('proved prove 04 spot:BTCUSDT 1h');
  writeRun('refuted', 5);
  expect(verdictText()).toBe('proved prove 04 spot:BTCUSDT 1h');
});

test('the newest verdict of isobar prove is found for exactly the same code, data and settings', () => {
  writeProof('refuted', 1);
  writeProof('proved', 2);
  for (const key of ['code', 'data', 'settings'] as const) {
    writeProof('refuted', 3, { [key]: 'another' });
    expect(verdictFor(folder, { ...PROOF_KEY, [key]: 'unknown' })).toBeNull();
  }
  writeRun('refuted', 4);
  expect(verdictFor(folder, PROOF_KEY)).toEqual({
    verdict: 'proved',
    from: 'prove',
    why: null,
    proofs: [],
    bars: 9,
    ...PROOF_KEY,
    madeAt: timeOfDay(2),
  });
});
