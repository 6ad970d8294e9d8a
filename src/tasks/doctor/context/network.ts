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

/** The failure of an attempt that took longer than the time limit. */
const TIMED_OUT: NetworkFailure = { code: 'TIMEOUT', message: 'no answer in time' };

/** Resolves a host as every program of this computer does: hosts file and name servers. */
export function addressesOf(host: string, options: NetworkOptions): Promise<readonly string[] | NetworkFailure> {
  const resolved = lookup(host, { all: true }).then((addresses) => addresses.map(({ address }) => address), failureOf);
  return withTimeout<readonly string[] | NetworkFailure>(options, resolved, TIMED_OUT);
}

/** Connects and closes again. Validates the certificate exactly as the client does. */
export function connectionTo(origin: string, options: NetworkOptions): Promise<ConnectionReport> {
  const { protocol, hostname, port } = new URL(origin);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const isSecure = protocol === 'https:';
  const defaultPort = isSecure ? 443 : 80;
  const target = { host, port: Number(port || defaultPort) };
  // An IP address has no name that a certificate could be asked for.
  const nameOption = isIP(host) === 0 ? { servername: host } : {};
  const socket = isSecure ? connectTls({ ...target, ...nameOption, rejectUnauthorized: true, minVersion: 'TLSv1.2' }) : connectTcp(target);
  const connected = new Promise<ConnectionReport>((resolve) => {
    socket.on('error', (error) => resolve({ kind: 'failed', failure: failureOf(error) }));
    socket.once(isSecure ? 'secureConnect' : 'connect', () => resolve(isTls(socket) ? certificateOf(socket) : { kind: 'plain' }));
    socket.once('close', () => resolve({ kind: 'failed', failure: { code: 'ECONNRESET', message: 'closed at once' } }));
  });
  return withTimeout<ConnectionReport>(options, connected, { kind: 'failed', failure: TIMED_OUT }).finally(() => socket.destroy());
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

/** Maximum number of characters of a name in a certificate. */
const MAX_NAME_LENGTH = 60;

/** Returns the name or the names of a subject or issuer, safe to print. */
function certificateName(name: string | readonly string[] | undefined): string {
  const names = [name ?? 'unknown'].flat();
  return sanitizeText(names.join(', '), MAX_NAME_LENGTH);
}
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Parses a date such as `Nov  2 11:00:00 2027 GMT`, as OpenSSL writes it. */
function dateMs(text: string): number | null {
  const [, month = '', day = '', time = '', year = ''] = /^([A-Z][a-z]{2}) +(\d{1,2}) (\d{2}:\d{2}:\d{2}) (\d{4}) GMT$/.exec(text) ?? [];
  const monthNumber = String(MONTHS.indexOf(month) + 1).padStart(2, '0');
  return parseTime(`${year}-${monthNumber}-${day.padStart(2, '0')}T${time}Z`);
}

/** Returns the code and the message of a network error. */
function failureOf(error: unknown): NetworkFailure {
  if (!(error instanceof Error)) return { code: 'UNKNOWN', message: sanitizeText(String(error)) };
  return { code: 'code' in error ? String(error.code) : error.name, message: sanitizeText(error.message) };
}

/** Resolves with the result of `attempt`, or with `lateResult` after the time limit. */
function withTimeout<T>({ scheduler, timeoutMs }: NetworkOptions, attempt: Promise<T>, lateResult: T): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = scheduler.at(scheduler.nowMs + timeoutMs, () => resolve(lateResult));
    attempt.then(resolve, reject).finally(() => scheduler.cancel(timer));
  });
}
