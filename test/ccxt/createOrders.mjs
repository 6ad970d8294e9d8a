// ccxt's side of the benchmark `restCreate`: for each line of its input, a number, it creates as many orders and prints their CPU times.

import { createInterface } from 'node:readline';
import { Bitrue } from './bitrue.mjs';
import { OrderTimer } from './orderTimer.mjs';

const [origin, apiKey, secret] = process.argv.slice(2);
const ccxt = new Bitrue(origin, apiKey, secret);
await ccxt.loadMarkets();
process.stdout.write('ready\n');

const timer = new OrderTimer((at) =>
  ccxt.createOrder('BTC/USDT:USDT', 'limit', 'buy', 1 + (at % 9), 65_000.5 + (at % 1000), { clientOrderId: `b-${at}` }),
);
for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await timer.run(Number(line)))}\n`);
}
// Its connections are kept alive, and it has nothing to end them with.
process.exit();
