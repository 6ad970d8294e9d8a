// Sends malformed requests to one exchange, and checks that each reply is documented.

import { expect } from 'vitest';
import { CODES } from './codes.ts';
import type { FuzzCase, FuzzWorld } from './fuzzBytes.ts';
import { fuzzCase } from './fuzzCases.ts';
import { Random } from './random.ts';
import { type RawReply, RawSocket } from './rawSocket.ts';
import type { World } from './world.ts';

const SOCKETS = 16;
/** Statuses of the HTTP server and of the service for these requests. A 5xx is absent, because no request here is the fault of the server. */
const STATUSES = [101, 200, 400, 401, 403, 404, 408, 411, 413, 417, 426, 431];
const documented = new Set([0, ...CODES]);

/** The count of replies for each kind of request and status. */
export type Tally = ReadonlyMap<string, number>;

/** Sends `count` requests, with the seeds from `seed` on. Throws at the first answer that is not documented. */
export async function fuzz(world: World, targets: FuzzWorld['targets'], seed: number, count: number): Promise<Tally> {
  const given: FuzzWorld = { targets, nowMs: world.exchange.nowMs };
  const port = Number(new URL(world.exchange.origin).port);
  const tally = new Map<string, number>();
  let nextSeed = seed;
  const work = async (): Promise<void> => {
    const socket = new RawSocket(port);
    while (nextSeed < seed + count) {
      const caseSeed = nextSeed++;
      const request = fuzzCase(new Random(caseSeed), given);
      const reply = await socket.ask(request.bytes, request.isLast ?? false, request.hasBody ?? true);
      check(request, reply, caseSeed);
      const kindAndStatus = `${request.kind} ${reply.status ?? 'closed'}`;
      tally.set(kindAndStatus, (tally.get(kindAndStatus) ?? 0) + 1);
    }
    socket.close();
  };
  await Promise.all(Array.from({ length: SOCKETS }, work));
  return tally;
}

function check(request: FuzzCase, { status, body }: RawReply, seed: number): void {
  const what = `${request.kind}; again: npm run campaign -- exchangeFuzz --seed ${seed} --cases 1\n${request.bytes.toString('latin1').slice(0, 1500)}\n${body.slice(0, 500)}`;
  if (status === null) {
    expect(request.isLast, `closed without an answer: ${what}`).toBe(true);
    return;
  }
  expect(STATUSES, what).toContain(status);
  const code = codeIn(body);
  if (code !== null) expect(documented, what).toContain(code);
  if (request.code !== null) expect(code, what).toBe(request.code);
}

/** Returns the code of an error, 0 for other JSON, and null for an empty body, which only the HTTP server sends. */
function codeIn(body: string): number | null {
  if (body === '') return null;
  const json: unknown = JSON.parse(body);
  if (typeof json !== 'object' || json === null || !('code' in json)) return 0;
  return Number(json.code);
}
