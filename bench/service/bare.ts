// The smallest possible service for comparison: node:http, the body read, the same signature checked, an answer of the same length.

import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { ALICE } from './requests.ts';

/** Prints its port; ends with its input. `answers`: what it says by path, as JSON text. */
export async function bareServer(answers: Readonly<Record<string, string>>): Promise<void> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const target = request.url ?? '';
      const body = Buffer.concat(chunks);
      const isRight = request.method === 'GET' || isSigned(request.headers, request.method ?? '', target, body);
      const answer = answers[target] ?? '{}';
      response.writeHead(isRight ? 200 : 401, {
        'Content-Type': 'application/json;charset=UTF-8',
        'Content-Length': Buffer.byteLength(answer),
      });
      response.end(answer);
    });
  });
  server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
  for await (const _ of createInterface({ input: process.stdin })); // until its input ends
  server.close();
  server.closeAllConnections();
}

function isSigned(headers: NodeJS.Dict<string | string[]>, method: string, target: string, body: Buffer): boolean {
  const expected = createHmac('sha256', ALICE.secret)
    .update(`${String(headers['x-ch-ts'])}${method}${target}`)
    .update(body)
    .digest();
  const given = Buffer.from(String(headers['x-ch-sign']), 'hex');
  return given.length === expected.length && timingSafeEqual(given, expected);
}
