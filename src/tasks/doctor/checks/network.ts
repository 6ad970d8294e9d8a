// Checks that the service can be reached: host name, connection with a valid certificate, and a reply.

import { count } from '../../../base/text/format.ts';
import { failed, ok, warning, type CheckFinding } from '../context/check.ts';
import type { CheckContext } from '../context/checkContext.ts';
import { answerProblem } from '../fixes/answerFix.ts';
import { networkProblem } from '../fixes/networkFix.ts';

const PINGS = 5;
/** With a longer round trip, prices have moved before an order arrives. */
const SLOW_MS = 1000;
const DAY_MS = 86_400_000;
/** Certificates are usually renewed a month before they expire. Fewer days left may mean that the renewal was forgotten. */
const SOON_DAYS = 14;

export async function findAddresses({ origin, market, probe }: CheckContext): Promise<CheckFinding> {
  const { hostname } = new URL(origin);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  if (/^[\d.]+$/.test(host) || host.includes(':')) return ok(`${host} is an address and needs no name server`);
  const found = await probe.addresses(host);
  if ('code' in found) {
    const { detail, fix } = networkProblem(found, host, market);
    return failed(detail, fix);
  }
  const [first = ''] = found;
  return ok(`${host} is ${first}${found.length > 1 ? ` and ${found.length - 1} more` : ''}`);
}

export async function checkConnection({ origin, market, probe }: CheckContext): Promise<CheckFinding> {
  const { host } = new URL(origin);
  const found = await probe.connect(origin);
  if (found.kind === 'plain') return ok('connected; http without TLS, as the service is on this computer');
  if (found.kind === 'failed') {
    const { detail, fix } = networkProblem(found.failure, host, market);
    return failed(detail, fix);
  }
  const { protocol, subject, issuer, validToMs } = found;
  const days = validToMs === null ? null : Math.floor((validToMs - probe.wallMs()) / DAY_MS);
  const left = days === null ? 'valid' : `valid for ${count(days)} more ${days === 1 ? 'day' : 'days'}`;
  const detail = `${protocol}, certificate of ${subject} ${left}`;
  const more = [`issued by ${issuer}`];
  if (days === null || days >= SOON_DAYS) return ok(detail, { more });
  return warning(detail, ['the exchange has to renew its certificate; on the day it ends nothing can be traded'], { more });
}

export async function ping({ market, probe }: CheckContext): Promise<CheckFinding> {
  const taken: number[] = [];
  for (let at = 0; at < PINGS; at++) {
    const beganMs = probe.elapsedMs();
    const outcome = await probe.call(market === 'spot' ? 'spot.ping' : 'futures.ping', {});
    if (outcome.kind !== 'acked') return answerProblem(outcome, { kind: 'public', market, what: 'a ping' });
    taken.push(probe.elapsedMs() - beganMs);
  }
  // Leave out the first ping, which includes the connection set-up.
  const [median, slowest] = [taken.slice(1).toSorted((a, b) => a - b)[Math.floor((PINGS - 1) / 2)] ?? 0, Math.max(...taken)];
  const detail = `${PINGS} answers, ${milliseconds(median)} in the middle, the slowest ${milliseconds(slowest)}`;
  if (median < SLOW_MS) return ok(detail);
  return warning(detail, ['orders take as long to arrive: run the bot nearer to the exchange, or on a faster line']);
}

const milliseconds = (ms: number): string => `${ms < 10 ? ms.toFixed(1) : count(Math.round(ms))} ms`;
