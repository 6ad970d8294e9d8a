// Tests maintenance windows: the spans that a config describes, and a live bot that takes no new risk in a window.

import { afterEach, describe, expect, it, test } from 'vitest';
import { maintenanceWindows } from '../../src/tasks/bot/config/maintenance.ts';
import { Strategy } from '../../src/index.ts';
import { LiveFixture, stopAndClose, until } from './liveFixture.ts';

let fixture: LiveFixture | null = null;
afterEach(async () => fixture?.close());

const timeOf = (text: string): number => Date.parse(text);
const spanOf = (window: Parameters<typeof maintenanceWindows>[0], text: string): string | null => {
  const span = maintenanceWindows(window)[0]!.spanAt(timeOf(text));
  return span === null ? null : `${new Date(span.fromMs).toISOString().slice(5, 16)} ${new Date(span.toMs).toISOString().slice(5, 16)}`;
};

describe('the span of a maintenance window', () => {
  it('a maintenance window with a cron pattern begins at the times of the pattern in its time zone, and lasts the given minutes', () => {
    const weekly = [{ cron: '0 3 * * 0', minutes: 30, timeZone: 'Europe/Berlin' }] as const;
    expect(spanOf([...weekly], '2026-11-21T12:00:00Z')).toBe('11-22T02:00 11-22T02:30');
    for (const time of ['02:00:00', '02:29:59']) expect(spanOf([...weekly], `2026-11-22T${time}Z`)).toBe('11-22T02:00 11-22T02:30');
    expect(spanOf([...weekly], '2026-11-22T02:30:00Z')).toBe('11-29T02:00 11-29T02:30');
  });

  it('a maintenance window with from and to includes from and excludes to', () => {
    const once = [{ from: '2026-12-01 03:00', to: '2026-12-01 04:00' }] as const;
    expect(spanOf([...once], '2026-12-01T03:59:59Z')).toBe('12-01T03:00 12-01T04:00');
    expect(spanOf([...once], '2026-12-01T04:00:00Z')).toBeNull();
  });

  it('an invalid maintenance window is rejected with its place', () => {
    expect(() => maintenanceWindows([{ from: '2026-12-01 03:00', to: '2026-12-01 03:00' }])).toThrow(
      /^maintenance\.0: expected from and to/,
    );
    expect(() => maintenanceWindows([{ cron: 'sundays', minutes: 5 }])).toThrow(/^cron 'sundays'/);
  });
});

/** Keeps one limit far below the market. */
class RestingLimit extends Strategy {
  override onBar() {
    if (this.openOrders().length === 0) this.buy({ base: '0.01' }, { limit: this.bars.close.value * 0.5, tag: 'rest' });
  }
}

test.each(['cancel', 'keep'] as const)(
  'a live bot sends no order in a maintenance window (orders: %s), and continues after it',
  async (orders) => {
    fixture = await LiveFixture.open(20);
    const yaml = `strategy: rest.ts
feeds: { bars: { symbol: BTCUSDT, interval: 1m } }
cash: { USDT: '10000' }
bars: { graceMs: 30000, delayMs: 100, spreadMs: 100 }
`;
    const span = { fromMs: Infinity, toMs: Infinity };
    const config = {
      ...fixture.config(yaml),
      maintenance: [{ cancelsOpening: orders === 'cancel', spanAt: (ms: number) => (ms < span.toMs ? span : null) }],
    };
    const opened = await fixture.open(config, [RestingLimit]);
    const { engine, venueMs } = opened.bot.deps;
    const { halts } = engine.risk;
    const code = orders === 'cancel' ? 'MAINTENANCE_CANCEL' : 'MAINTENANCE';
    const isHalted = (): boolean => halts.holds({ kind: 'account' }, code);
    // The bot reads the start of a far window once a minute, so the window is moved to the present later.
    Object.assign(span, { fromMs: venueMs() + 1e9, toMs: venueMs() + 2e9 });
    opened.bot.start();
    await until(() => engine.orders.active().some(({ lifecycle }) => lifecycle === 'working'), 60_000, 'an order that rests');
    Object.assign(span, { fromMs: venueMs(), toMs: venueMs() + 150_000 });
    await until(isHalted, 60_000, 'the window');
    const sent = opened.counts.sent;
    const feed = engine.feeds[0]!;
    const bars = feed.bars.length;
    if (orders === 'cancel') await until(() => engine.orders.active().length === 0, 60_000, 'the cancel');
    await until(() => !isHalted(), 60_000, 'its end');
    expect(venueMs()).toBeGreaterThanOrEqual(span.toMs);
    // Bars arrived and the strategy decided, but risk denied every order.
    expect(feed.bars.length).toBeGreaterThan(bars);
    expect(opened.counts.sent).toBe(sent);
    if (orders === 'cancel') {
      expect(fixture.lines.some((line) => line.includes('denied: HALT_NEW on the account: maintenance until'))).toBe(true);
      await until(() => opened.counts.sent > sent, 60_000, 'an order after it');
    } else expect(engine.orders.active()).toHaveLength(1);
    await stopAndClose(opened);
  },
);
