// Tests that refused requests of the dashboard are counted, and logged at most once a minute.

import { expect, it } from 'vitest';
import { Refusals } from './refusals.ts';

it('100,000 refused requests within a minute give two log lines and an exact count', () => {
  let nowMs = 0;
  const lines: string[] = [];
  const refusals = new Refusals(
    () => nowMs,
    (message) => void lines.push(message),
  );
  for (let request = 0; request < 100_000; request++) {
    nowMs = request * 0.5;
    refusals.add('a token is needed', '/api/view');
  }
  nowMs = 60_000;
  refusals.add('a token is needed', `/api/act ${'x'.repeat(1000)}`);
  expect(refusals.total).toBe(100_001);
  expect(lines).toEqual([
    'dashboard: refused (a token is needed): /api/view',
    `dashboard: refused (a token is needed): /api/act ${'x'.repeat(91)} and 99999 requests before it`,
  ]);
});

it('refused requests that the log has not counted yet are logged when the dashboard closes', () => {
  const lines: string[] = [];
  const refusals = new Refusals(
    () => 0,
    (message) => void lines.push(message),
  );
  refusals.add('wrong token', 'a');
  refusals.add('wrong token', 'b');
  refusals.flush();
  refusals.flush();
  expect(lines).toEqual(['dashboard: refused (wrong token): a', 'dashboard: refused (wrong token): b']);
});
