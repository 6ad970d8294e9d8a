// Closing positions: a slice whose fate nobody knows is the last one, for a second one could turn the position over.

import { Decimal } from 'decimal.js';
import { expect, it } from 'vitest';
import { spotInstrument } from '../../../../test/fixtures/drafts.ts';
import { DueQueue } from '../../../scheduler/dueQueue.ts';
import { flatten, type SliceFate } from './flatten.ts';
import { KILL_SETTINGS, KillVenue } from '../venue.ts';

it('sends no further slice after one of unknown outcome, and says what is left', async () => {
  const scheduler = new DueQueue();
  const venue = new KillVenue({
    client: { call: () => ({ cancel: () => {} }) },
    scheduler,
    settings: KILL_SETTINGS,
    tell: () => {},
  } as never);
  const fates: SliceFate[] = [
    { kind: 'unknown', why: 'no answer' },
    { kind: 'ended', filled: '1' },
  ];
  const sent: string[] = [];
  const instrument = spotInstrument();
  const closing = flatten(venue, [
    {
      instrument,
      strategy: 0,
      closer: {
        closable: () => Promise.resolve(sent.length < 2 ? { side: 'sell', qty: new Decimal(1) } : null),
        readBook: () => Promise.resolve({ bids: [{ price: '100.00', quantity: '100' }], asks: [] }),
        place: (_, { qty }) => {
          sent.push(qty);
          return Promise.resolve(fates[sent.length - 1]!);
        },
      },
    },
  ]);
  const is = { over: false };
  void closing.finally(() => (is.over = true));
  for (let turn = 0; turn < 200 && !is.over; turn++) {
    scheduler.runDue(scheduler.nowMs + 1000);
    await Promise.resolve();
  }
  const { residuals } = await closing;
  expect(sent).toHaveLength(1);
  expect(residuals).toEqual([expect.stringContaining('unknown outcome: no answer')]);
});
