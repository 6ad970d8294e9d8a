// Sends malformed requests to one exchange, and checks that each reply is documented.

import { expect } from 'vitest';
import { CODES } from './codes.ts';
import type { FuzzCase, FuzzWorld } from './fuzzBytes.ts';
import { fuzzCase } from './fuzzCases.ts';
import { Random } from './random.ts';
import { type RawReply, RawSocket } from './rawSocket.ts';
import type { World } from './world.ts';

/** Number of connections on which requests are sent at the same time. */
const SOCKET_COUNT = 16;
/** The documented HTTP statuses for malformed requests. There is no 5xx, because the server is never at fault here. */
const DOCUMENTED_STATUSES = [101, 200, 400, 401, 403, 404, 408, 411, 413, 417, 426, 431];
const DOCUMENTED_CODES = new Set([0, ...CODES]);

/** The number of replies by kind of request and status. */
export type Tally = ReadonlyMap<string, number>;

/** Sends `count` requests with the seeds from `seed` on. Throws at the first undocumented reply. */
export async function fuzz(world: World, targets: FuzzWorld['targets'], seed: number, count: number): Promise<Tally> {
  const fuzzWorld: FuzzWorld = { targets, nowMs: world.exchange.nowMs };
  const port = Number(new URL(world.exchange.origin).port);
  const tally = new Map<string, number>();
  let nextSeed = seed;
  const sendCases = async (): Promise<void> => {
    const socket = new RawSocket(port);
    while (nextSeed < seed + count) {
      const caseSeed = nextSeed++;
      const request = fuzzCase(new Random(caseSeed), fuzzWorld);
      const reply = await socket.send(request);
      expectDocumented(request, reply, caseSeed);
      const kindAndStatus = `${request.kind} ${reply.status ?? 'closed'}`;
      tally.set(kindAndStatus, (tally.get(kindAndStatus) ?? 0) + 1);
    }
    socket.close();
  };
  await Promise.all(Array.from({ length: SOCKET_COUNT }, sendCases));
  return tally;
}

/** Fails the test if the status or the code of a reply is not documented, or if the request allows only another code. */
function expectDocumented(request: FuzzCase, { status, body }: RawReply, seed: number): void {
  const command = `npm run campaign -- exchangeFuzz --seed ${seed} --cases 1`;
  const requestText = request.bytes.toString('latin1').slice(0, 1500);
  const description = `${request.kind}; repeat with ${command}\n${requestText}\n${body.slice(0, 500)}`;
  if (status === null) {
    expect(request.isLast, `closed without a reply: ${description}`).toBe(true);
    return;
  }
  expect(DOCUMENTED_STATUSES, description).toContain(status);
  const code = codeIn(body);
  if (code !== null) expect(DOCUMENTED_CODES, description).toContain(code);
  if (request.code !== null) expect(code, description).toBe(request.code);
}

/** Returns the code of an error, 0 for other JSON, and null for an empty body, which only the HTTP server sends. */
function codeIn(body: string): number | null {
  if (body === '') return null;
  const json: unknown = JSON.parse(body);
  if (typeof json !== 'object' || json === null || !('code' in json)) return 0;
  return Number(json.code);
}
