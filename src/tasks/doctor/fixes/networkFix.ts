// Fixes for network failures: host names, connections and certificates.

import type { Market } from '../../../model/instrument.ts';
import type { NetworkFailure } from '../context/probe.ts';
import { addressText } from './subject.ts';

interface Explained {
  readonly detail: string;
  readonly fix: readonly string[];
}

const LIST_OF_EXTRA_CAS =
  'if it is your own authority, name its certificate by NODE_EXTRA_CA_CERTS; isobar has no way to leave the check out';
const CLOCK_TOO = 'a clock of this computer that is far off has the same effect';

/** By the codes of Node.js. `%` stands for the place, `?` for the options that set it. */
const FAILURES: Readonly<Record<string, Explained>> = {
  ENOTFOUND: {
    detail: 'no such host: %',
    fix: ['check the spelling of ?', 'a name that only some networks know needs their name server, or their VPN'],
  },
  ENODATA: { detail: 'the name has no address: %', fix: ['check the spelling of ?'] },
  EAI_AGAIN: {
    detail: 'no name server answered',
    fix: ['this computer is offline, or its name server is: see /etc/resolv.conf, or try another network'],
  },
  ECONNREFUSED: {
    detail: 'nothing listens at %',
    fix: ['the service is not running, or has another port: check ?', 'a firewall that refuses looks the same'],
  },
  ECONNRESET: {
    detail: 'the connection to % was cut',
    fix: ['a firewall, or a service that wants another protocol at this port: check ?'],
  },
  EHOSTUNREACH: { detail: 'no way to %', fix: ['this computer is offline, or its network does not lead there: see its route and its VPN'] },
  ENETUNREACH: { detail: 'no way to %', fix: ['this computer is offline, or has no address of the kind (IPv6) that the service has'] },
  TIMEOUT: {
    detail: 'no answer from %',
    fix: ['a firewall drops what is sent there, or the service is down: try another network, and check the port in ?'],
  },
  ERR_SSL_WRONG_VERSION_NUMBER: {
    detail: '% speaks no TLS',
    fix: ['it may want http, which isobar uses on this computer alone, or another port: check ?'],
  },
  ERR_SSL_PACKET_LENGTH_TOO_LONG: { detail: '% speaks no TLS', fix: ['it may want another port: check ?'] },
  EPROTO: { detail: '% speaks no TLS that is safe', fix: ['it may want http, or another port: check ?', 'TLS below 1.2 is not used'] },
  CERT_HAS_EXPIRED: {
    detail: 'the certificate of % has expired',
    fix: ['the exchange has to renew it: trade nothing until then, for anybody could stand there', CLOCK_TOO],
  },
  CERT_NOT_YET_VALID: { detail: 'the certificate of % is not valid yet', fix: [CLOCK_TOO, 'else the exchange has to replace it'] },
  DEPTH_ZERO_SELF_SIGNED_CERT: {
    detail: 'the certificate of % vouches for itself',
    fix: ['anybody can make one: check ?, and look for a proxy or virus scanner that opens connections', LIST_OF_EXTRA_CAS],
  },
  SELF_SIGNED_CERT_IN_CHAIN: {
    detail: 'the certificate of % comes from an authority that is not trusted',
    fix: ['a proxy or virus scanner of your network opens connections: have it leave this host alone', LIST_OF_EXTRA_CAS],
  },
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: {
    detail: 'the certificate of % cannot be traced to an authority',
    fix: ['the service leaves out the certificates between, or the authority is unknown: report it to the exchange', LIST_OF_EXTRA_CAS],
  },
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: {
    detail: 'the certificate of % comes from an authority that is not trusted',
    fix: ['a proxy or virus scanner of your network may open connections: have it leave this host alone', LIST_OF_EXTRA_CAS],
  },
  CERT_REVOKED: { detail: 'the certificate of % was revoked', fix: ['trade nothing: report it to the exchange'] },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    detail: 'the certificate is not for %',
    fix: ['check the spelling of ?', 'else another server answers in its place: a proxy, or a portal that wants a login'],
  },
};

/** `place`: host, or host with port. */
export function networkProblem({ code, message }: NetworkFailure, place: string, market: Market): Explained {
  const known = FAILURES[code];
  const fillTemplate = (text: string): string => text.replace('%', place).replace('?', addressText(market));
  if (!known)
    return {
      detail: `no connection to ${place} (${code}: ${message})`,
      fix: [`check ${addressText(market)}, and the network of this computer`],
    };
  return { detail: `${fillTemplate(known.detail)} (${code})`, fix: known.fix.map(fillTemplate) };
}
