// Maintenance windows: which spans a config means, and a bot over real sockets that risks nothing new while one lasts.

import { afterEach, describe, expect, it, test } from 'vitest';
import { maintenanceWindows } from '../../src/tasks/bot/config/maintenance.ts';
import { Strategy } from '../../src/index.ts';
import { LiveFixture, stopped, until } from './liveFixture.ts';

let fixture: LiveFixture | null = null;
afterEach(async () => fixture?.close());

const at = (text: string): number => Date.parse(text);
const spanOf = (window: Parameters<typeof maintenanceWindows>[0], text: string): string | null => {
  const span = maintenanceWindows(window)[0]!.spanAt(at(text));
  return span === null ? null : `${new Date(span.fromMs).toISOString().slice(5, 16)} ${new Date(span.toMs).toISOString().slice(5, 16)}`;
};

describe('a window', () => {
  it('a window by a pattern begins at the times of the pattern, in its time zone, and lasts the given minutes', () => {
    const weekly = [{ cron: '0 3 * * 0', minutes: 30, timeZone: 'Europe/Berlin' }] as const;
    expect(spanOf([...weekly], '2026-11-21T12:00:00Z')).toBe('11-22T02:00 11-22T02:30');
    for (const within of ['02:00:00', '02:29:59']) expect(spanOf([...weekly], `2026-11-22T${within}Z`)).toBe('11-22T02:00 11-22T02:30');
    expect(spanOf([...weekly], '2026-11-22T02:30:00Z')).toBe('11-29T02:00 11-29T02:30');
  });

  it('a window by its ends is one, up to before its end', () => {
    const once = [{ from: '2026-12-01 03:00', to: '2026-12-01 04:00' }] as const;
    expect(spanOf([...once], '2026-12-01T03:59:59Z')).toBe('12-01T03:00 12-01T04:00');
    expect(spanOf([...once], '2026-12-01T04:00:00Z')).toBeNull();
  });

  it('a window that cannot be is refused with its place', () => {
    expect(() => maintenanceWindows([{ from: '2026-12-01 03:00', to: '2026-12-01 03:00' }])).toThrow(
      /^maintenance\.0: expected from and to/,
    );
    expect(() => maintenanceWindows([{ cron: 'sundays', minutes: 5 }])).toThrow(/^cron 'sundays'/);
  });
});

/** Rests far below the market whenever nothing of it does. */
class Rester extends Strategy {
  override onBar() {
    if (this.openOrders().length === 0) this.buy({ base: '0.01' }, { limit: this.bars.close.value * 0.5, tag: 'rest' });
  }
}

test.each(['cancel', 'keep'] as const)(
  'in a maintenance window no new risk is taken (orders: %s), and the bot continues after it',
  async (orders) => {
    fixture = await LiveFixture.open(20);
    const bare = `strategy: rest.ts
feeds: { bars: { symbol: BTCUSDT, interval: 1m } }
cash: { USDT: '10000' }
bars: { graceMs: 30000, delayMs: 100, spreadMs: 100 }
`;
    const span = { fromMs: Infinity, toMs: Infinity };
    const config = {
      ...fixture.config(bare),
      maintenance: [{ cancels: orders === 'cancel', spanAt: (ms: number) => (ms < span.toMs ? span : null) }],
    };
    const opened = await fixture.open(config, [Rester]);
    const { engine, venueMs } = opened.bot.deps;
    const { halts } = engine.risk;
    const code = orders === 'cancel' ? 'MAINTENANCE_CANCEL' : 'MAINTENANCE';
    const holds = (): boolean => halts.holds({ kind: 'account' }, code);
    // The far edge is looked at once a minute.
    Object.assign(span, { fromMs: venueMs() + 1e9, toMs: venueMs() + 2e9 });
    opened.bot.start();
    await until(() => engine.orders.active().some(({ lifecycle }) => lifecycle === 'working'), 60_000, 'an order that rests');
    Object.assign(span, { fromMs: venueMs(), toMs: venueMs() + 150_000 });
    await until(holds, 60_000, 'the window');
    const [sent, feed] = [opened.counts.sent, engine.feeds[0]!];
    const bars = feed.bars.length;
    if (orders === 'cancel') await until(() => engine.orders.active().length === 0, 60_000, 'the cancel');
    await until(() => !holds(), 60_000, 'its end');
    expect(venueMs()).toBeGreaterThanOrEqual(span.toMs);
    // Bars came, strategies decided, and risk refused all of it.
    expect(feed.bars.length).toBeGreaterThan(bars);
    expect(opened.counts.sent).toBe(sent);
    if (orders === 'cancel') {
      expect(fixture.lines.some((line) => line.includes('denied: HALT_NEW on the account: maintenance until'))).toBe(true);
      await until(() => opened.counts.sent > sent, 60_000, 'an order after it');
    } else expect(engine.orders.active()).toHaveLength(1);
    await stopped(opened);
  },
);
