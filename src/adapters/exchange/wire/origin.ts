// Where requests may go: the origin of a service, https unless it is this computer itself.

import { ConfigError } from '../../../base/errors.ts';

/** `http://127.0.0.1:8080` of such a URL, with or without a slash at the end. Throws ConfigError, naming `what`, for any other. */
export function checkedOrigin(url: string, what: string): string {
  const wrong = (problem: string, remedy: string): ConfigError =>
    // Whatever stands before an @ may be a password.
    new ConfigError(`${what}: ${problem}, got ${url.replace(/\/\/[^/]*@/, '//...@')}`, remedy);
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (!parsed || !/^https?:$/.test(parsed.protocol)) {
    throw wrong('expected a URL such as https://api.example.com', 'write the address of the service with https:// before it');
  }
  if (parsed.username !== '' || parsed.password !== '') {
    throw wrong('expected a URL without a user name', 'keys come from the environment or from files, never from a URL');
  }
  if (parsed.pathname !== '/' || parsed.search !== '' || parsed.hash !== '') {
    throw wrong('expected a URL without a path', 'what stands before every path of the service is dialect.pathPrefix');
  }
  if (parsed.protocol === 'http:' && !isLoopback(parsed.hostname)) {
    throw wrong('expected https', 'http is for services on this computer alone: 127.0.0.1, ::1 or localhost');
  }
  return parsed.origin;
}

/** `hostname` as URL writes it: addresses in their plain form. */
const isLoopback = (hostname: string): boolean => hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
