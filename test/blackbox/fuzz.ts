// A run of malformed requests against one exchange: what it answered, and whether it is the same afterwards.

import { expect } from 'vitest';
import { CODES } from './codes.ts';
import type { FuzzCase, FuzzWorld } from './fuzzBytes.ts';
import { fuzzCase } from './fuzzCases.ts';
import { Random } from './random.ts';
import { type RawReply, RawSocket } from './rawSocket.ts';
import type { World } from './world.ts';

const SOCKETS = 16;
/** What an HTTP server says of requests that it cannot read, and what the service says; no 5xx, for nothing here is its own fault. */
const STATUSES = [101, 200, 400, 401, 403, 404, 408, 411, 413, 417, 426, 431];
const documented = new Set([0, ...CODES]);

/** How often each kind was answered what. */
export type Tally = ReadonlyMap<string, number>;

/** Sends `count` requests, with the seeds from `seed` on. Throws at the first answer that is not documented. */
export async function fuzz(world: World, targets: FuzzWorld['targets'], seed: number, count: number): Promise<Tally> {
  const given: FuzzWorld = { targets, nowMs: world.exchange.nowMs };
  const port = Number(new URL(world.exchange.origin).port);
  const tally = new Map<string, number>();
  let next = seed;
  const work = async (): Promise<void> => {
    const socket = new RawSocket(port);
    while (next < seed + count) {
      const own = next++;
      const sent = fuzzCase(new Random(own), given);
      const reply = await socket.ask(sent.bytes, sent.isLast ?? false, sent.hasBody ?? true);
      check(sent, reply, own);
      const what = `${sent.kind} ${reply.status ?? 'closed'}`;
      tally.set(what, (tally.get(what) ?? 0) + 1);
    }
    socket.close();
  };
  await Promise.all(Array.from({ length: SOCKETS }, work));
  return tally;
}

function check(sent: FuzzCase, { status, body }: RawReply, seed: number): void {
  const what = `${sent.kind}; again: npm run campaign -- exchangeFuzz --seed ${seed} --cases 1\n${sent.bytes.toString('latin1').slice(0, 1500)}\n${body.slice(0, 500)}`;
  if (status === null) {
    expect(sent.isLast, `closed without an answer: ${what}`).toBe(true);
    return;
  }
  expect(STATUSES, what).toContain(status);
  const code = codeIn(body);
  if (code !== null) expect(documented, what).toContain(code);
  if (sent.code !== null) expect(code, what).toBe(sent.code);
}

/** The code of an error, 0 for other JSON, null for what is no JSON: an answer of the HTTP server itself. */
function codeIn(body: string): number | null {
  if (body === '') return null;
  const json: unknown = JSON.parse(body);
  if (typeof json !== 'object' || json === null || !('code' in json)) return 0;
  return Number(json.code);
}
