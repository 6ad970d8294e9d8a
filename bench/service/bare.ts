// Runs the smallest possible service for comparison: node:http reads the body, checks the signature, and sends a reply as long as the exchange's.

import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { BTC_ACCOUNT } from './requests.ts';

/** Serves until the input ends, and prints the port first. `replyByPath` has the JSON text of the reply to each path. */
export async function serveBare(replyByPath: Readonly<Record<string, string>>): Promise<void> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const path = request.url ?? '';
      const body = Buffer.concat(chunks);
      // As in the paper exchange, a GET of this load reads public data and needs no signature.
      const isAllowed = request.method === 'GET' || isSigned(request.headers, request.method ?? '', path, body);
      const reply = replyByPath[path] ?? '{}';
      response.writeHead(isAllowed ? 200 : 401, {
        'Content-Type': 'application/json;charset=UTF-8',
        'Content-Length': Buffer.byteLength(reply),
      });
      response.end(reply);
    });
  });
  server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
  for await (const _ of createInterface({ input: process.stdin })); // ignore every line, and so wait until the input ends
  server.close();
  server.closeAllConnections();
}

/** True when a request has the signature of `BTC_ACCOUNT`, which sends the requests of the load. */
function isSigned(headers: NodeJS.Dict<string | string[]>, method: string, path: string, body: Buffer): boolean {
  const expectedSignature = createHmac('sha256', BTC_ACCOUNT.secret)
    .update(`${String(headers['x-ch-ts'])}${method}${path}`)
    .update(body)
    .digest();
  const sentSignature = Buffer.from(String(headers['x-ch-sign']), 'hex');
  return sentSignature.length === expectedSignature.length && timingSafeEqual(sentSignature, expectedSignature);
}
