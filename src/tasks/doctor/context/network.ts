// Resolves names and opens connections without sending a request, with detailed errors.

import { lookup } from 'node:dns/promises';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { sanitizeText } from '../../../base/text/untrustedText.ts';
import { parseTime } from '../../../model/time.ts';
import type { Scheduler } from '../../../ports/scheduler.ts';
import type { ConnectionReport, NetworkFailure } from './probe.ts';

/** Clock and time limit. */
export interface NetworkOptions {
  readonly scheduler: Scheduler;
  readonly timeoutMs: number;
}

/** Resolves a host as every program of this computer does: hosts file and name servers. */
export function addressesOf(host: string, options: NetworkOptions): Promise<readonly string[] | NetworkFailure> {
  const resolved = lookup(host, { all: true }).then((addresses) => addresses.map(({ address }) => address), failureOf);
  return withTimeout<readonly string[] | NetworkFailure>(options, resolved, timedOut);
}

/** Connects and closes again. Validates the certificate exactly as the client does. */
export function connectionTo(origin: string, options: NetworkOptions): Promise<ConnectionReport> {
  const { protocol, hostname, port } = new URL(origin);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const isSecure = protocol === 'https:';
  const target = { host, port: Number(port || (isSecure ? 443 : 80)) };
  const socket = isSecure
    ? connectTls({ ...target, rejectUnauthorized: true, minVersion: 'TLSv1.2', ...(isIP(host) === 0 ? { servername: host } : {}) })
    : connectTcp(target);
  const connected = new Promise<ConnectionReport>((resolve) => {
    socket.on('error', (error) => resolve({ kind: 'failed', failure: failureOf(error) }));
    socket.once(isSecure ? 'secureConnect' : 'connect', () => resolve(isTls(socket) ? certificateOf(socket) : { kind: 'plain' }));
    socket.once('close', () => resolve({ kind: 'failed', failure: { code: 'ECONNRESET', message: 'closed at once' } }));
  });
  return withTimeout<ConnectionReport>(options, connected, { kind: 'failed', failure: timedOut }).finally(() => socket.destroy());
}

const isTls = (socket: Socket | TLSSocket): socket is TLSSocket => 'getPeerCertificate' in socket;

/** Returns the report of a TLS connection. */
function certificateOf(socket: TLSSocket): ConnectionReport {
  const { subject, issuer, valid_to: validTo, subjectaltname } = socket.getPeerCertificate();
  const [firstName = ''] = (subjectaltname ?? '').split(', ');
  return {
    kind: 'secure',
    protocol: socket.getProtocol() ?? 'TLS',
    subject: certificateName(subject.CN ?? firstName.replace(/^(DNS|IP Address):/, '')),
    issuer: certificateName(issuer.O ?? issuer.CN),
    validToMs: dateMs(validTo),
  };
}

const certificateName = (name: string | readonly string[] | undefined): string => sanitizeText([name ?? 'unknown'].flat().join(', '), 60);
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Parses a date such as `Nov  2 11:00:00 2027 GMT`, as OpenSSL writes it. */
function dateMs(text: string): number | null {
  const [, month = '', day = '', time = '', year = ''] = /^([A-Z][a-z]{2}) +(\d{1,2}) (\d{2}:\d{2}:\d{2}) (\d{4}) GMT$/.exec(text) ?? [];
  return parseTime(`${year}-${String(MONTHS.indexOf(month) + 1).padStart(2, '0')}-${day.padStart(2, '0')}T${time}Z`);
}

const timedOut: NetworkFailure = { code: 'TIMEOUT', message: 'no answer in time' };

/** Returns the code and the message of a network error. */
function failureOf(error: unknown): NetworkFailure {
  if (!(error instanceof Error)) return { code: 'UNKNOWN', message: sanitizeText(String(error)) };
  return { code: 'code' in error ? String(error.code) : error.name, message: sanitizeText(error.message) };
}

/** Resolves with the result of `work`, or with `late` after the time limit. */
function withTimeout<T>({ scheduler, timeoutMs }: NetworkOptions, work: Promise<T>, late: T): Promise<T> {
  return new Promise((resolve, reject) => {
    const handle = scheduler.at(scheduler.nowMs + timeoutMs, () => resolve(late));
    work.then(resolve, reject).finally(() => scheduler.cancel(handle));
  });
}
