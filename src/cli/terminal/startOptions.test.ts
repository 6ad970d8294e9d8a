// Tests the options that `isobar live` and `isobar exchange` reject before they open any file or socket.

import { expect, it } from 'vitest';
import { exchange } from '../exchange/action.ts';
import { live } from '../live/startAction.ts';

/** Arguments of a bot on paper money, without a config file and without --demo. */
const LIVE_ARGS = { demo: false, live: false, json: true, acceptChanges: false, requireProof: false };
const EXCHANGE_ARGS = { demo: false, port: '0', host: '127.0.0.1', quiet: true };

it.each(['0', '-1', 'soon', '2147484', 'Infinity'])('isobar live --demo rejects --seconds %s', async (seconds) => {
  await expect(live({ ...LIVE_ARGS, demo: true, seconds })).rejects.toThrow(
    `--seconds: expected a number above 0, up to 2147483, got '${seconds}'`,
  );
});

it('isobar live rejects a config file together with --demo', async () => {
  await expect(live({ ...LIVE_ARGS, demo: true, config: 'bot.yaml' })).rejects.toThrow(
    'expected a config file or --demo, got both: bot.yaml',
  );
});

it('isobar live rejects a command line without a config file and without --demo', async () => {
  await expect(live(LIVE_ARGS)).rejects.toThrow('expected a config file or --demo, got neither');
});

it('isobar exchange rejects a file together with --demo', async () => {
  await expect(exchange({ ...EXCHANGE_ARGS, demo: true, config: 'exchange.yaml' })).rejects.toThrow(
    'expected a file or --demo, got both: exchange.yaml',
  );
});

it('isobar exchange rejects a command line without a file and without --demo', async () => {
  await expect(exchange(EXCHANGE_ARGS)).rejects.toThrow('expected a file or --demo, got neither');
});

it.each(['nonsense', '', 'ftp://example.com', 'http://example.com'])('isobar exchange rejects --follow %j', async (follow) => {
  await expect(exchange({ ...EXCHANGE_ARGS, demo: true, follow })).rejects.toThrow(/^--follow: /);
});
