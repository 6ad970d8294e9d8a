// Tests that `isobar parity` applies the modules of a bot on both sides: an order that a module refuses is no difference.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { comparePlanted } from './planted.ts';

/** A module whose exchange refuses every third order. */
const REFUSING = `
import { composeModule, PARTS, passOn } from 'isobar/compose';
export default composeModule('refusing', ({ rebind }) => {
  rebind(PARTS.exchange).wrap((exchange) => {
    let sink;
    return passOn(exchange, {
      attach: (engine) => void (sink = engine),
      submit(order, seq) {
        if (order.id % 3 === 0) sink.refused(order.id, 'MAINTENANCE');
        else exchange.submit(order, seq);
      },
    });
  });
});
`;

test.each([{}, { 9: true }])(
  'a bot whose module refuses orders equals its backtest; restarts before rows: %o',
  async (restarts) => {
    const report = await comparePlanted({
      definition: { modules: ['./modules/refusing.ts'] },
      beforeStart: (folder) => {
        mkdirSync(join(folder, 'modules'));
        writeFileSync(join(folder, 'modules/refusing.ts'), REFUSING);
      },
      actsByRow: Object.fromEntries(Object.keys(restarts).map((row) => [row, ({ restart }) => restart(0)])),
    });
    expect(report).toMatchObject({ equal: true, first: null, cause: null, bridge: [], residual: '0' });
    expect(report.orders).toBeGreaterThan(report.fills);
  },
  120_000,
);
