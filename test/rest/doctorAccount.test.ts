// Tests the account checks of the doctor: balances, positions, modes and leverage.

import { afterAll, describe, expect, test } from 'vitest';
import { resultLines } from '../../src/cli/doctor/doctorText.ts';
import { DoctorFixture, failures, checkNamed } from '../fixtures/doctorFixture.ts';
import { errorOf } from '../fixtures/signedStub.ts';

const fixture = new DoctorFixture();
afterAll(async () => {
  const longLines = fixture.results.flatMap((result) => resultLines(result, false)).filter((line) => line.length > 100);
  await fixture.remove();
  // A word that is longer than its column, such as a path, has a line of its own.
  expect(longLines.filter((line) => !line.includes('/'))).toEqual([]);
});

describe('the account', () => {
  const positionRow = (side: string, members: object = {}) => ({
    id: 1,
    uid: 1,
    positionType: 1,
    side,
    volume: 3,
    openPrice: 1,
    avgPrice: 1,
    leverageLevel: 20,
    marginRate: 0,
    unRealizedAmount: 0,
    ...members,
  });
  const futures = { markets: ['futures'] } as const;

  test('an account without a balance is a warning that recommends a transfer', async () => {
    const stub = await fixture.stub({ balances: [{ asset: 'BTC', free: '0', locked: '0.000' }] });
    expect(checkNamed(await fixture.examine(stub.url), 'spot.balances')).toMatchObject({
      status: 'warning',
      fix: [expect.stringContaining('transfer')],
    });
  });

  test('positions, modes and leverage of the account are reported', async () => {
    const stub = await fixture.stub({ positions: [positionRow('BUY')] });
    const oneWay = await fixture.examine(stub.url, futures);
    expect(checkNamed(oneWay, 'futures.positions').detail).toBe('open: long 3 E-BTC-USDT');
    expect(checkNamed(oneWay, 'futures.marginMode').detail).toBe('E-BTC-USDT cross');
    expect(checkNamed(oneWay, 'futures.leverage').detail).toBe('E-BTC-USDT 20x');
    expect(checkNamed(oneWay, 'futures.positionMode').status).toBe('ok');
    stub.options = { positions: [positionRow('BUY'), positionRow('SELL', { positionType: 2, leverageLevel: 200 })] };
    const twoWay = await fixture.examine(stub.url, futures);
    expect(checkNamed(twoWay, 'futures.positionMode')).toMatchObject({
      status: 'warning',
      detail: 'two-way: long and short in E-BTC-USDT',
    });
    expect(checkNamed(twoWay, 'futures.leverage')).toMatchObject({ status: 'warning', more: ['E-BTC-USDT allows 1 to 150'] });
    expect(twoWay.report.ok).toBe(true);
  });

  test('positions that the service reports with the account alone are reported', async () => {
    const stub = await fixture.stub({ answers: { 'GET /fapi/v1/positions': errorOf(-1020, '/fapi') } });
    const examined = await fixture.examine(stub.url, futures);
    expect(failures(examined)).toEqual(['futures.positions']);
    expect(examined.report.dialect.positionsFrom).toBe('account');
    const config = fixture.write('account.yaml', 'dialect:\n  positionsFrom: account\n');
    expect(failures(await fixture.examine(stub.url, { ...futures, config }))).toEqual([]);
  });
});
