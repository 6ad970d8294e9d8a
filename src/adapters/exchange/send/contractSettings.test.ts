// Tests that the settings of contracts journal nothing after stop, because the journal may have ended by then.

import { describe, expect, test } from 'vitest';
import type { Instrument } from '../../../model/instrument.ts';
import { DueQueue } from '../../../ports/dueQueue.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { Calls } from '../calls/calls.ts';
import { ContractSettings } from './contractSettings.ts';

const MINUTE_MS = 60_000;
const ACKED: Outcome<null> = { kind: 'acked', value: null };

/** Returns the settings of one contract. The test replies to each call by `replyTo`. */
function openSettings() {
  const scheduler = new DueQueue();
  scheduler.runDue(Date.UTC(2024, 0, 1));
  const replyTo: ((outcome: Outcome<null>) => void)[] = [];
  const client = { call: (_op: string, _args: unknown, done: (outcome: Outcome<null>) => void) => (replyTo.push(done), () => {}) };
  const calls = new Calls(client as never, () => {});
  const journalled: string[] = [];
  const settings = new ContractSettings({
    calls,
    venue: {} as never,
    scheduler,
    instruments: [{ wireName: 'E-BTC-USDT' } as Instrument],
    target: () => ({ positionType: 1, leverage: 5, positionModel: 1 }),
    raisedCauses: { raise: () => {}, clearIfAllowed: () => {} } as never,
    notes: {
      setting: ({ name, confirmed }: { name: string; confirmed: boolean }) => void journalled.push(`${name} ${confirmed}`),
    } as never,
    retryMs: 1000,
    retryMaxMs: 8000,
  });
  settings.sendAll([0]);
  return { scheduler, calls, settings, replyTo, journalled };
}

describe('the settings of a contract', () => {
  const lastAnswers: readonly Outcome<null>[] = [ACKED, { kind: 'unknown', status: 503 } as never];
  test.each(lastAnswers)('nothing is journalled after stop once the calls have ended, even if the last reply is %j', (outcome) => {
    const { scheduler, calls, settings, replyTo, journalled } = openSettings();
    expect(journalled).toEqual(['positionModel false']);
    let notedAtEnd: number | null = null;
    settings.stop();
    calls.stop(() => (notedAtEnd = journalled.length));
    replyTo[0]!(outcome);
    expect(notedAtEnd).toBe(journalled.length);
    scheduler.runDue(scheduler.nowMs + MINUTE_MS);
    expect(journalled.length).toBe(notedAtEnd);
    expect(settings.isReady(0)).toBe(false);
  });

  test('stop ends a pause between two attempts', () => {
    const { scheduler, calls, settings, replyTo, journalled } = openSettings();
    replyTo[0]!({ kind: 'unknown', status: 503 } as never);
    settings.stop();
    calls.stop(() => {});
    const notedAtEnd = journalled.length;
    scheduler.runDue(scheduler.nowMs + MINUTE_MS);
    expect(journalled.length).toBe(notedAtEnd);
  });

  test('a contract is ready once all three settings are confirmed', () => {
    const { settings, replyTo, journalled } = openSettings();
    for (let index = 0; index < 3; index++) replyTo[index]!(ACKED);
    expect(settings.isReady(0)).toBe(true);
    expect(journalled).toEqual(['positionModel', 'positionType', 'leverage'].flatMap((name) => [`${name} false`, `${name} true`]));
  });
});
