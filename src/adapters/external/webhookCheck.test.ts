// Tests requests with the secret in the body, as TradingView sends them after it has filled in its placeholders.

import { expect, test } from 'vitest';
import { Secret } from '../../base/text/secret.ts';
import { HookChecker } from './webhookCheck.ts';

const SECRET = '0f1e2d3c4b5a69788796a5b4c3d2e1f00123456789abcdef';
const NOW_MS = Date.UTC(2026, 10, 28, 18, 50, 3);

/** Returns the body of a request. `{{timenow}}` has seconds, `{{time}}` is the open of the bar, and numbers have no quotes. */
const alertBody = (value: string, sent = '2026-11-28T18:50:00Z'): string =>
  `{"secret": "${SECRET}", "sent": "${sent}", "time": "2026-11-28T18:45:00Z", "value": ${value}, "ticker": "BTCUSDT", "action": "sell"}`;

function check(text: string) {
  const checker = new HookChecker(new Secret(SECRET), 'body', 60_000);
  return checker.check(
    { path: '/series/alert', headers: { 'content-type': 'text/plain; charset=utf-8' }, body: Buffer.from(text) },
    NOW_MS,
  );
}

test.each([
  ['65102.5', 65102.5], // {{close}}
  ['-0.25', -0.25], // {{strategy.position_size}}
  ['1e-7', 1e-7], // {{plot_0}}
  ['"0.5"', 0.5], // in quotes
])('a webhook value of %s is accepted with the time of its bar', (text, value) => {
  expect(check(alertBody(text))).toEqual({ timeMs: Date.UTC(2026, 10, 28, 18, 45), value, nonce: expect.stringMatching(/^[0-9a-f]{64}$/) });
});

test('equal webhook alerts have one nonce, and an alert of another second has another nonce', () => {
  const [firstResult, repeatedResult, laterResult] = [alertBody('1'), alertBody('1'), alertBody('1', '2026-11-28T18:50:01Z')].map((text) =>
    check(text),
  );
  expect(repeatedResult).toEqual(firstResult);
  expect(laterResult).not.toEqual(firstResult);
});

test.each([
  ['null', 400, 'value: expected a number'], // {{plot_0}} without a value
  ['"sell"', 400, 'value: expected a number'], // {{strategy.order.action}}
  ['NaN', 401, 'expected a JSON object'],
  ['{{close}}', 401, 'expected a JSON object'], // a placeholder that was not filled in
])('a webhook value of %s is rejected', (text, status, problem) => {
  expect(check(alertBody(text))).toMatchObject({ status, problem: expect.stringContaining(problem) });
});

test('a webhook alert of two minutes ago is rejected as late', () =>
  expect(check(alertBody('1', '2026-11-28T18:48:00Z'))).toMatchObject({ status: 403 }));
