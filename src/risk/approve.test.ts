// Tests the approval of orders: only risk makes an ApprovedOrder, and an approval reserves the exposure.

import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { ApprovedOrder } from '../model/order.ts';
import { RiskFixture } from '../../test/fixtures/riskFixture.ts';

const SRC_URL = new URL('../', import.meta.url);

/** Stands for the exchange port, which accepts approved orders only. */
const submit = (order: ApprovedOrder) => order.id;

test('the risk check approves an order and reserves its exposure in one call', () => {
  const fixture = new RiskFixture();
  const draft = fixture.draft({ lots: 5 });
  // @ts-expect-error A draft that risk has not approved cannot be submitted.
  submit(draft);
  const approved = fixture.risk.check(draft, fixture.nowMs, 1000);
  expect(approved).toBe(draft);
  expect(submit(approved!)).toBe(1);
  expect([draft.isReserved, fixture.reservations.openOrdersTotal]).toEqual([true, 1]);
});

test('only the risk module calls the function that approves, and no other file casts to ApprovedOrder', () => {
  const files = readdirSync(SRC_URL, { recursive: true })
    .map(String)
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));
  const sourceOf = (file: string) => readFileSync(new URL(file, SRC_URL), 'utf8');
  expect(files.filter((file) => /from '[^']*\/approve\.ts'/.test(sourceOf(file)))).toEqual(['risk/riskModule.ts']);
  const withoutImports = (file: string) => sourceOf(file).replace(/^import.*$/gm, '');
  const castingFiles = files.filter((file) => /\bas\b[^;,()]*\bApprovedOrder\b/.test(withoutImports(file)));
  expect(castingFiles).toEqual(['risk/approve.ts']);
});
