// Tests the options that `isobar live` and `isobar exchange` reject before they open any file or socket.

import { expect, it } from 'vitest';
import { exchange } from '../exchange/action.ts';
import { live } from '../live/startAction.ts';

const LIVE_DEMO_ARGS = { demo: true, live: false, json: true, acceptChanges: false, requireProof: false };
const EXCHANGE_DEMO_ARGS = { demo: true, port: '0', host: '127.0.0.1', quiet: true };

it.each(['0', '-1', 'soon', '2147484', 'Infinity'])('isobar live --demo rejects a length of %s seconds', async (seconds) => {
  await expect(live({ ...LIVE_DEMO_ARGS, seconds })).rejects.toThrow(
    `--seconds: expected a number above 0, up to 2147483, got '${seconds}'`,
  );
});

it('isobar live rejects a config file together with --demo', async () => {
  await expect(live({ ...LIVE_DEMO_ARGS, config: 'bot.yaml' })).rejects.toThrow('expected a config file or --demo, got both: bot.yaml');
});

it('isobar live rejects a command line without a config file and without --demo', async () => {
  await expect(live({ ...LIVE_DEMO_ARGS, demo: false })).rejects.toThrow('expected a config file or --demo, got neither');
});

it('isobar exchange rejects a file together with --demo', async () => {
  await expect(exchange({ ...EXCHANGE_DEMO_ARGS, config: 'exchange.yaml' })).rejects.toThrow(
    'expected a file or --demo, got both: exchange.yaml',
  );
});

it('isobar exchange rejects a command line without a file and without --demo', async () => {
  await expect(exchange({ ...EXCHANGE_DEMO_ARGS, demo: false })).rejects.toThrow('expected a file or --demo, got neither');
});

it.each(['nonsense', '', 'ftp://example.com', 'http://example.com'])('isobar exchange rejects --follow %j', async (follow) => {
  await expect(exchange({ ...EXCHANGE_DEMO_ARGS, follow })).rejects.toThrow(/^--follow: /);
});
