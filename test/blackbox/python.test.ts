// Tests a Python client that knows only the address: it places, finds and cancels orders on both markets.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { Exchange } from './exchange.ts';

const runProgram = promisify(execFile);
const CLIENT = fileURLToPath(new URL('client.py', import.meta.url));
const hasPython = await runProgram('python3', ['--version']).then(
  () => true,
  () => false,
);
if (!hasPython) console.log('skipped: there is no python3 to run test/blackbox/client.py with');

it.skipIf(!hasPython)(
  'a Python client that knows only the specification places, finds and cancels orders on spot and futures',
  async () => {
    const exchange = await Exchange.demo();
    try {
      const { stdout } = await runProgram('python3', [CLIENT, exchange.origin, exchange.origin, exchange.key, exchange.secret]);
      expect(JSON.parse(stdout)).toEqual({
        spot: {
          symbol: 'BTCUSDT',
          digits: 19,
          states: [0, 'NEW', 'PENDING_CANCEL', 'CANCELED'],
          clientOrderId: 'from-python',
          isOpen: true,
          free: 100_000,
        },
        futures: { contractName: 'E-BTC-USDT', states: ['NEW', 'CANCELED'], isOpen: true, isCanceled: true, clientId: 'from-python' },
        refusals: [-2013, -1022],
      });
    } finally {
      await exchange.stop();
    }
  },
);
