// Tests that timers which a bot missed while it was down are of the cause `restart`, whatever their option `missed` says.

import { expect, test } from 'vitest';
import { Strategy, type Missed } from '../../src/index.ts';
import { comparePlanted } from './planted.ts';
import { netInJournal, total } from './netInJournal.ts';

/** Returns a strategy that trades by a timer, which also fires inside of bars. The size depends on the number of its calls. */
const timerTrader = (missed: Missed) =>
  class extends Strategy {
    callCount = 0;
    override onStart() {
      const trade = (): void => {
        this.callCount++;
        if (this.position().isFlat) this.buy({ base: String(1 + (this.callCount % 4)) });
        else this.exit();
      };
      this.every('90m', trade, { missed });
    }
  };

test.each(['skip', 'once', 'all'] as const)(
  'timers that were missed with `%s` are in the amount of restart',
  async (missed) => {
    let net = '';
    const report = await comparePlanted(
      { strategy: timerTrader(missed), actsByRow: { 5: ({ restart }) => restart(3), 15: ({ restart }) => restart(5) } },
      (folder) => {
        net = netInJournal(folder);
      },
    );
    expect(report).toMatchObject({ cause: 'restart', residual: '0', net: { live: net } });
    expect(report.bridge.map(({ cause }) => cause)).toEqual(['restart']);
    expect(total([report.net.backtest, report.bridge[0]!.amount])).toBe(total([net]));
    // An order inside a bar fills with the next one, with or without a latency.
    expect(report.latency.measuredMs).toBe(0);
  },
  120_000,
);
