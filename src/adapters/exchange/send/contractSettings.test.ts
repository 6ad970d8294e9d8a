// Tests that the settings of contracts end with the exchange: what is noted later would reach a journal that has ended.

import { describe, expect, test } from 'vitest';
import type { Instrument } from '../../../model/instrument.ts';
import { DueQueue } from '../../../ports/dueQueue.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { Calls } from '../calls/calls.ts';
import { ContractSettings } from './contractSettings.ts';

const MINUTE = 60_000;
const ACKED: Outcome<null> = { kind: 'acked', value: null };

/** One contract, whose calls are answered by the test. */
function openSettings() {
  const scheduler = new DueQueue();
  scheduler.runDue(Date.UTC(2024, 0, 1));
  const answers: ((outcome: Outcome<null>) => void)[] = [];
  const client = { call: (_op: string, _args: unknown, done: (outcome: Outcome<null>) => void) => (answers.push(done), () => {}) };
  const calls = new Calls(client as never, () => {});
  const noted: string[] = [];
  const settings = new ContractSettings({
    calls,
    venue: {} as never,
    scheduler,
    instruments: [{ wireName: 'E-BTC-USDT' } as Instrument],
    target: () => ({ positionType: 1, leverage: 5, positionModel: 1 }),
    raisedCauses: { raise: () => {}, resolve: () => {} } as never,
    notes: { setting: ({ name, confirmed }: { name: string; confirmed: boolean }) => void noted.push(`${name} ${confirmed}`) } as never,
    retryMs: 1000,
    retryMaxMs: 8000,
  });
  settings.sendAll([0]);
  return { scheduler, calls, settings, answers, noted };
}

describe('stop', () => {
  const lastAnswers: readonly Outcome<null>[] = [ACKED, { kind: 'unknown', status: 503 } as never];
  test.each(lastAnswers)('nothing is noted once the calls have ended, after the answer %j', (outcome) => {
    const { scheduler, calls, settings, answers, noted } = openSettings();
    expect(noted).toEqual(['positionModel false']);
    let notedAtEnd: number | null = null;
    settings.stop();
    calls.stop(() => (notedAtEnd = noted.length));
    answers[0]!(outcome);
    expect(notedAtEnd).toBe(noted.length);
    scheduler.runDue(scheduler.nowMs + MINUTE);
    expect(noted.length).toBe(notedAtEnd);
    expect(settings.isReady(0)).toBe(false);
  });

  test('a pause between two attempts ends', () => {
    const { scheduler, calls, settings, answers, noted } = openSettings();
    answers[0]!({ kind: 'unknown', status: 503 } as never);
    settings.stop();
    calls.stop(() => {});
    const notedAtEnd = noted.length;
    scheduler.runDue(scheduler.nowMs + MINUTE);
    expect(noted.length).toBe(notedAtEnd);
  });

  test('a contract is ready once all three settings are confirmed', () => {
    const { settings, answers, noted } = openSettings();
    for (let index = 0; index < 3; index++) answers[index]!(ACKED);
    expect(settings.isReady(0)).toBe(true);
    expect(noted).toEqual(['positionModel', 'positionType', 'leverage'].flatMap((name) => [`${name} false`, `${name} true`]));
  });
});
