// Reads the target of a request line: a path and query, or a whole URI (RFC 9112, section 3.2).

/** What a request line asks for. */
export interface RequestTarget {
  /** Path and query, as on the request line. */
  readonly target: string;
  /** Host and port of a whole URI; null if the line has only a path. It then takes the place of the Host header. */
  readonly authority: string | null;
}

const WHOLE_URI = /^https?:\/\/([^/?#]+)(.*)$/i;

/** Returns the target of a request line. A whole URI without a path asks for `/`. */
export function requestTargetOf(url: string): RequestTarget {
  // Nearly every request has only a path.
  const parts = url.startsWith('/') ? null : WHOLE_URI.exec(url);
  if (parts === null) return { target: url, authority: null };
  const [, authority = '', path = ''] = parts;
  return { target: path.startsWith('/') ? path : `/${path}`, authority };
}
