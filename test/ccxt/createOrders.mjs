// ccxt's side of the benchmark `restCreate`. Each line of its input is a number of orders: it creates them and prints their CPU times.

import { createInterface } from 'node:readline';
import { Bitrue } from './bitrue.mjs';
import { OrderTimer } from './orderTimer.mjs';

const [origin, apiKey, secret] = process.argv.slice(2);
const ccxt = new Bitrue(origin, apiKey, secret);
await ccxt.loadMarkets();
process.stdout.write('ready\n');

const timer = new OrderTimer((orderIndex) =>
  ccxt.createOrder('BTC/USDT:USDT', 'limit', 'buy', 1 + (orderIndex % 9), 65_000.5 + (orderIndex % 1000), {
    clientOrderId: `b-${orderIndex}`,
  }),
);
for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await timer.run(Number(line)))}\n`);
}
// ccxt keeps its connections alive and has no call that closes them.
process.exit();
