// Checks that the service can be reached: host name, connection with a valid certificate, and a reply.

import { largestOf } from '../../../base/number/extremes.ts';
import { wholeText } from '../../../base/text/format.ts';
import { failed, ok, doubtful, type CheckFinding } from '../context/check.ts';
import type { CheckContext } from '../context/checkContext.ts';
import { answerProblem } from '../fixes/answerFix.ts';
import { networkProblem } from '../fixes/networkFix.ts';

/** Number of pings. The round trip of each is measured. */
const PINGS = 5;
/** Longest good round trip, ms. With a longer one, prices have moved before an order arrives. */
const SLOW_MS = 1000;
const DAY_MS = 86_400_000;
/** Certificates are usually renewed a month before they expire. Fewer days left may mean that the renewal was forgotten. */
const MIN_DAYS_LEFT = 14;

/** Resolves the host name. */
export async function findAddresses({ origin, market, probe }: CheckContext): Promise<CheckFinding> {
  const { hostname } = new URL(origin);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  if (/^[\d.]+$/.test(host) || host.includes(':')) return ok(`${host} is an address and needs no name server`);
  const addresses = await probe.addresses(host);
  if ('code' in addresses) {
    const { detail, fix } = networkProblem(addresses, host, market);
    return failed(detail, fix);
  }
  const [firstAddress = ''] = addresses;
  const others = addresses.length > 1 ? ` and ${addresses.length - 1} more` : '';
  return ok(`${host} is ${firstAddress}${others}`);
}

/** Connects and checks the certificate. Warns if it expires soon. */
export async function checkConnection({ origin, market, probe }: CheckContext): Promise<CheckFinding> {
  const { host } = new URL(origin);
  const connection = await probe.connect(origin);
  if (connection.kind === 'plain') return ok('connected with http: TLS is not needed on this computer');
  if (connection.kind === 'failed') {
    const { detail, fix } = networkProblem(connection.failure, host, market);
    return failed(detail, fix);
  }
  const { protocol, subject, issuer, validToMs } = connection;
  const days = validToMs === null ? null : Math.floor((validToMs - probe.wallMs()) / DAY_MS);
  const validityText = days === null ? 'valid' : `valid for ${wholeText(days)} more ${days === 1 ? 'day' : 'days'}`;
  const detail = `${protocol}, certificate of ${subject} ${validityText}`;
  const details = [`issued by ${issuer}`];
  if (days === null || days >= MIN_DAYS_LEFT) return ok(detail, { more: details });
  return doubtful(detail, ['the exchange must renew its certificate; nothing can be traded after it has expired'], { more: details });
}

/** Measures the round trip. */
export async function ping({ market, probe }: CheckContext): Promise<CheckFinding> {
  const durationsMs: number[] = [];
  for (let index = 0; index < PINGS; index++) {
    const beganMs = probe.elapsedMs();
    const outcome = await probe.call(market === 'spot' ? 'spot.ping' : 'futures.ping', {});
    if (outcome.kind !== 'acked') return answerProblem(outcome, { kind: 'public', market, subjectText: 'a ping' });
    durationsMs.push(probe.elapsedMs() - beganMs);
  }
  // Leave out the first ping, which includes the connection set-up.
  const ascendingMs = durationsMs.slice(1).toSorted((a, b) => a - b);
  const medianMs = ascendingMs[Math.floor((PINGS - 1) / 2)] ?? 0;
  const slowestMs = largestOf(durationsMs);
  const detail = `${PINGS} answers, median ${durationText(medianMs)}, slowest ${durationText(slowestMs)}`;
  if (medianMs < SLOW_MS) return ok(detail);
  return doubtful(detail, ['orders take as long to arrive: run the bot nearer to the exchange, or on a faster connection']);
}

/** Returns a duration as text; a short one with a decimal. */
const durationText = (ms: number): string => `${ms < 10 ? ms.toFixed(1) : wholeText(Math.round(ms))} ms`;
