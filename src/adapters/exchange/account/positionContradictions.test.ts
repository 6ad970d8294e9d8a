import { describe, expect, it } from 'vitest';
import { PERPETUAL } from '../../../../test/service/futuresFixture.ts';
import type { PositionRow } from '../calls/venueRows.ts';
import { positionContradictions } from './positionContradictions.ts';

const LONG: PositionRow = { side: 'buy', volume: '10', closableVolume: '10', funding: null, openedMs: null, leverage: 10, positionType: 1 };
const SETTINGS = { leverage: 10, positionType: 1 } as const;

describe('positions that contradict the settings of a contract', () => {
  it.each<{ readonly name: string; readonly changes: Partial<PositionRow>; readonly expected: readonly string[] }>([
    { name: 'the settings of the config', changes: {}, expected: [] },
    { name: 'another margin mode', changes: { positionType: 2 }, expected: ['leverage 10 and isolated margin'] },
    { name: 'another leverage', changes: { leverage: 50 }, expected: ['leverage 50 and cross margin'] },
    { name: 'no volume, so that there is no position', changes: { leverage: 50, volume: '0.0' }, expected: [] },
  ])('$name', ({ changes, expected }) => {
    const sentences = positionContradictions(PERPETUAL, [{ ...LONG, ...changes }], { isNet: true, settings: SETTINGS });
    expect(sentences).toEqual(
      expected.map(
        (shown) => `${PERPETUAL.wireName}: the position has ${shown} at the exchange, and the config asks for leverage 10 and cross margin`,
      ),
    );
  });

  it('before the exchange has confirmed the settings, only two sides of a contract in net mode are a contradiction', () => {
    const rows = [
      { ...LONG, leverage: 50 },
      { ...LONG, side: 'sell' as const },
    ];
    expect(positionContradictions(PERPETUAL, rows, { isNet: true, settings: null })).toHaveLength(1);
    expect(positionContradictions(PERPETUAL, rows, { isNet: false, settings: null })).toEqual([]);
    expect(positionContradictions(PERPETUAL, rows, { isNet: false, settings: SETTINGS })).toHaveLength(1);
  });
});
