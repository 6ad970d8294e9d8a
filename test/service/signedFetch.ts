// Signs and sends requests over HTTP without the production client, so that no code under test takes part.

import { createHmac } from 'node:crypto';

/** Sends requests in the name of one key. */
export class SignedClient {
  readonly #url: string;
  readonly #key: { readonly apiKey: string; readonly secret: string };

  constructor(url: string, key: { readonly apiKey: string; readonly secret: string }) {
    this.#url = url;
    this.#key = key;
  }

  /** Returns the reply as text. Throws at any status but 200. */
  async post(target: string, fields: object): Promise<string> {
    return this.#send('POST', target, JSON.stringify(fields));
  }
  async get(target: string): Promise<string> {
    return this.#send('GET', target, '');
  }

  /** Sends a signed request, and returns the body. Throws unless the reply is 200. */
  async #send(method: string, target: string, body: string): Promise<string> {
    const timestamp = String(Date.now());
    const signature = createHmac('sha256', this.#key.secret)
      .update(timestamp + method + target + body)
      .digest('hex');
    const headers = { 'Content-Type': 'application/json', 'X-CH-APIKEY': this.#key.apiKey, 'X-CH-TS': timestamp, 'X-CH-SIGN': signature };
    const answer = await fetch(this.#url + target, { method, headers, ...(body === '' ? {} : { body }) });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`${answer.status} ${text}`);
    return text;
  }
}
