// Checks the origin of a service: https, or http on this computer.

import { ConfigError } from '../../../base/errors.ts';

/** Returns the origin, such as `http://127.0.0.1:8080`, of a URL without a path. Throws ConfigError, naming `urlName`, for any other URL. */
export function checkedOrigin(url: string, urlName: string): string {
  const configError = (problem: string, remedy: string): ConfigError =>
    // The text before an @ may be a password.
    new ConfigError(`${urlName}: ${problem}, got ${url.replace(/\/\/[^/]*@/, '//...@')}`, remedy);
  const parsedUrl = URL.canParse(url) ? new URL(url) : null;
  if (!parsedUrl || !/^https?:$/.test(parsedUrl.protocol)) {
    throw configError('expected a URL such as https://api.example.com', 'write the address of the service with https:// before it');
  }
  if (parsedUrl.username !== '' || parsedUrl.password !== '') {
    throw configError('expected a URL without a user name', 'keys come from the environment or from files, never from a URL');
  }
  if (parsedUrl.pathname !== '/' || parsedUrl.search !== '' || parsedUrl.hash !== '') {
    throw configError('expected a URL without a path', 'remove the path; set dialect.pathPrefix for a prefix of every path');
  }
  if (parsedUrl.protocol === 'http:' && !isLoopback(parsedUrl.hostname)) {
    throw configError('expected https', 'use https; http is only for services on this computer: 127.0.0.1, ::1 or localhost');
  }
  return parsedUrl.origin;
}

/** `hostname` as URL normalises it. */
const isLoopback = (hostname: string): boolean => hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
