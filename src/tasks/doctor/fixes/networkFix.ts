// Fixes for network failures: host names, connections and certificates.

import type { Market } from '../../../model/instrument.ts';
import type { NetworkFailure } from '../context/probe.ts';
import { addressText } from './checkSubject.ts';

/** A failure and its fixes. */
interface ExplainedFailure {
  readonly detail: string;
  readonly fix: readonly string[];
}

const EXTRA_CA_FIX = 'if it is your own authority, name its certificate in NODE_EXTRA_CA_CERTS; isobar cannot skip the check';
const CLOCK_HINT = 'a very wrong clock of this computer has the same effect';

/** Failures by the codes of Node.js. `%` stands for the host, `?` for the options that set it. */
const FAILURES: Readonly<Record<string, ExplainedFailure>> = {
  ENOTFOUND: {
    detail: 'no such host: %',
    fix: ['check the spelling of ?', 'a name of a private network needs its name server or VPN'],
  },
  ENODATA: { detail: 'the name has no address: %', fix: ['check the spelling of ?'] },
  EAI_AGAIN: {
    detail: 'no name server answered',
    fix: ['this computer or its name server is offline: check /etc/resolv.conf, or try another network'],
  },
  ECONNREFUSED: {
    detail: 'nothing listens at %',
    fix: ['the service is not running, or has another port: check ?', 'a firewall may have the same effect'],
  },
  ECONNRESET: {
    detail: 'the connection to % was cut',
    fix: ['a firewall cuts it, or the service expects another protocol at this port: check ?'],
  },
  EHOSTUNREACH: { detail: 'no route to %', fix: ['this computer is offline, or its network has no route: check its routes and its VPN'] },
  ENETUNREACH: { detail: 'no route to %', fix: ['this computer is offline, or lacks the kind of address (IPv6) that the service has'] },
  TIMEOUT: {
    detail: 'no answer from %',
    fix: ['a firewall drops the packets, or the service is down: try another network, and check the port in ?'],
  },
  ERR_SSL_WRONG_VERSION_NUMBER: {
    detail: '% does not use TLS',
    fix: ['it may expect http, which isobar uses only on this computer, or another port: check ?'],
  },
  ERR_SSL_PACKET_LENGTH_TOO_LONG: { detail: '% does not use TLS', fix: ['it may expect another port: check ?'] },
  EPROTO: {
    detail: '% does not use a secure version of TLS',
    fix: ['it may expect http, or another port: check ?', 'isobar requires TLS 1.2 or later'],
  },
  CERT_HAS_EXPIRED: {
    detail: 'the certificate of % has expired',
    fix: ['the exchange must renew it: trade nothing until then, because the server may be an impostor', CLOCK_HINT],
  },
  CERT_NOT_YET_VALID: { detail: 'the certificate of % is not valid yet', fix: [CLOCK_HINT, 'else the exchange must replace it'] },
  DEPTH_ZERO_SELF_SIGNED_CERT: {
    detail: 'the certificate of % is self-signed',
    fix: ['anyone can make one: check ?, and look for a proxy or virus scanner that intercepts connections', EXTRA_CA_FIX],
  },
  SELF_SIGNED_CERT_IN_CHAIN: {
    detail: 'the certificate of % comes from an authority that is not trusted',
    fix: ['a proxy or virus scanner of your network intercepts connections: exclude this host', EXTRA_CA_FIX],
  },
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: {
    detail: 'the certificate of % cannot be traced to an authority',
    fix: ['the service does not send intermediate certificates, or the authority is unknown: report it to the exchange', EXTRA_CA_FIX],
  },
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: {
    detail: 'the certificate of % comes from an authority that is not trusted',
    fix: ['a proxy or virus scanner of your network may intercept connections: exclude this host', EXTRA_CA_FIX],
  },
  CERT_REVOKED: { detail: 'the certificate of % was revoked', fix: ['trade nothing: report it to the exchange'] },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    detail: 'the certificate is not for %',
    fix: ['check the spelling of ?', 'else another server answers in its place: a proxy, or a portal that requires a login'],
  },
};

/** Returns the explanation of a failure. `place`: host, or host with port. */
export function networkProblem({ code, message }: NetworkFailure, place: string, market: Market): ExplainedFailure {
  const failure = FAILURES[code];
  const fillTemplate = (text: string): string => text.replace('%', place).replace('?', addressText(market));
  if (!failure)
    return {
      detail: `no connection to ${place} (${code}: ${message})`,
      fix: [`check ${addressText(market)}, and the network of this computer`],
    };
  return { detail: `${fillTemplate(failure.detail)} (${code})`, fix: failure.fix.map(fillTemplate) };
}
