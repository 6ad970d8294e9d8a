// Tests the options that `isobar live` and `isobar exchange` reject before they open any file or socket.

import { expect, it } from 'vitest';
import { exchange } from '../exchange/action.ts';
import { live } from '../live/startAction.ts';

const DEMO = { demo: true, live: false, json: true, acceptChanges: false, requireProof: false };
const EXCHANGE = { demo: true, port: '0', host: '127.0.0.1', quiet: true };

it.each(['0', '-1', 'soon', '2147484', 'Infinity'])('isobar live --demo rejects a length of %s seconds', async (seconds) => {
  await expect(live({ ...DEMO, seconds })).rejects.toThrow(`--seconds: expected a number above 0, up to 2147483, got '${seconds}'`);
});

it('isobar live and isobar exchange reject a file together with --demo, and a command line without both', async () => {
  await expect(live({ ...DEMO, config: 'bot.yaml' })).rejects.toThrow('expected a config file or --demo, got both: bot.yaml');
  await expect(live({ ...DEMO, demo: false })).rejects.toThrow('expected a config file or --demo, got neither');
  await expect(exchange({ ...EXCHANGE, config: 'exchange.yaml' })).rejects.toThrow('expected a file or --demo, got both: exchange.yaml');
  await expect(exchange({ ...EXCHANGE, demo: false })).rejects.toThrow('expected a file or --demo, got neither');
});

it.each(['nonsense', '', 'ftp://example.com', 'http://example.com'])('isobar exchange rejects --follow %j', async (follow) => {
  await expect(exchange({ ...EXCHANGE, follow })).rejects.toThrow(/^--follow: /);
});
