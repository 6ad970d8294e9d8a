// Tests that amendments through the view of an order are recorded, so that prove compares them and why shows them.

import { expect, it } from 'vitest';
import { HostCallTexts, RecordingHost } from '../../src/engine/host/recordingHost.ts';
import { CallableStrategy, WITHOUT_FEES, quietBars } from './callableStrategy.ts';
import { run } from './backtestFixture.ts';

it('an amendment by a view of openOrders or of onOrder is recorded like one by this.amend', async () => {
  const log = new HostCallTexts();
  /** Amends one order in `onOrder` and one in `onBar`. */
  class ByView extends CallableStrategy {
    override onBar() {
      this.row++;
      if (this.row === 1) this.order('buy', { base: '0.1' }, { limit: 90, stopLoss: 80 });
      if (this.row === 3) this.api.openOrders()[0]!.amend({ stop: 81 });
    }
    override onOrder(order: Parameters<NonNullable<CallableStrategy['onOrder']>>[0]) {
      if (order.lifecycle === 'working' && this.row === 1) order.amend({ stop: 82 });
    }
  }
  await run(
    { strategies: [ByView], feeds: { bars: quietBars(6) }, ...WITHOUT_FEES },
    { hostFor: (strategy) => new RecordingHost(strategy, log) },
  );
  expect(log.calls.map(({ text }) => text).filter((text) => text.includes('amend'))).toEqual([
    'ByView: amend(1, {"stop":82})',
    'ByView: amend(1, {"stop":81})',
  ]);
});
