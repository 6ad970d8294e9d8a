// The page at the root of the control port. It shows the state of the exchange to a user on this computer, and is read-only.

import { createHash } from 'node:crypto';
import { formatTime } from '../../../model/time.ts';
import { html, type Markup } from '../../../report/page/markup.ts';
import { counted } from '../../../base/text/format.ts';
import { scopedScript, shell } from '../../../report/page/shell.ts';
import { STYLE } from '../../../report/page/style.ts';
import type { ServiceConfig } from '../../dialect/config.ts';
import { truthOfMarkets } from '../../faults/truth.ts';
import type { TradedMarket } from '../../market/tradedMarket.ts';
import type { ServiceRequest, ServiceResponse } from '../../api/message.ts';
import type { Service } from '../../service.ts';
import { packageVersion } from '../../../adapters/runtime/version.ts';
import { accountsSection, ordersSection, positionsSection } from './accountParts.ts';
import { bookSection, priceCards, tradesSection } from './marketParts.ts';
import { SCRIPT } from './script.ts';
import { PAGE_STYLE } from './style.ts';

/** The exchange that the page shows. */
export interface ShownExchange {
  readonly service: Service;
  readonly config: ServiceConfig;
  /** URL of the endpoints. */
  readonly url: string;
}

/** Returns the reply to a request for the page; null for other requests. `?symbol=` selects the instrument. */
export function controlPage({ method, target }: ServiceRequest, exchange: ShownExchange): ServiceResponse | null {
  const [path, query = ''] = target.split('?', 2);
  if (method !== 'GET' || path !== '/') return null;
  const text = documentOf(exchange, new URLSearchParams(query).get('symbol'));
  return { status: 200, headers: headersOf(text), body: text };
}

/** Returns the page as HTML, with the instrument `symbol` or else the first one. */
function documentOf({ service, config, url }: ShownExchange, symbol: string | null): string {
  const { markets, nowMs, clockOffsetMs } = service;
  const chosenMarket = markets.find(({ instrument }) => instrument.wireName === symbol) ?? markets[0];
  const truth = truthOfMarkets(service, config);
  return shell({
    title: `${chosenMarket?.instrument.wireName ?? 'Paper exchange'} · isobar exchange`,
    version: packageVersion(),
    style: STYLE + PAGE_STYLE,
    content: html`<header class="head">
        <div>
          <h1>Paper exchange</h1>
          <p class="muted">${url} · <a href="${url}/openapi.json">openapi.json</a></p>
        </div>
        <div class="stamp">
          <p id="now" data-live>
            ${formatTime(nowMs + clockOffsetMs)
              .slice(0, 19)
              .replace('T', ' ')}
            UTC
          </p>
          <p id="open-now" class="muted" data-live>
            ${counted(truth.orders.length, 'open order')}, ${counted(truth.accounts.length, 'account')}
          </p>
        </div>
      </header>
      <p id="stale" role="alert" hidden>The exchange does not answer: these numbers are old.</p>
      ${instrumentTabs(markets, chosenMarket)}
      ${
        chosenMarket === undefined
          ? null
          : html`${priceCards(chosenMarket, nowMs)}
              <div class="two">${bookSection(chosenMarket)} ${tradesSection(chosenMarket)}</div>`
      }
      ${ordersSection(service, config)} ${accountsSection(truth)} ${service.sides.futures === null ? null : positionsSection(truth)}`,
    afterMain: scopedScript(SCRIPT),
  });
}

/** Returns a link for each instrument. */
const instrumentTabs = (markets: readonly TradedMarket[], chosenMarket: TradedMarket | undefined): Markup =>
  html`<nav class="tabs" aria-label="Instruments">
    ${markets.map((market) => {
      const { wireName } = market.instrument;
      const href = `?symbol=${encodeURIComponent(wireName)}`;
      return market === chosenMarket
        ? html`<a class="chip" href="${href}" aria-current="page">${wireName}</a>`
        : html`<a class="chip" href="${href}">${wireName}</a>`;
    })}
  </nav>`;

/** Returns headers with which the page loads nothing from elsewhere, runs only its own scripts, and cannot be framed by another page. */
function headersOf(text: string): Readonly<Record<string, string>> {
  const policy = [
    "default-src 'none'",
    `script-src ${contentHashes(text, 'script')}`,
    `style-src ${contentHashes(text, 'style')}`,
    "img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  ];
  return {
    'Content-Type': 'text/html;charset=UTF-8',
    'Content-Security-Policy': policy.join('; '),
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
  };
}

/** Returns the hashes of the page's own scripts or styles, as a content security policy names them. */
const contentHashes = (text: string, element: 'script' | 'style'): string =>
  Array.from(text.matchAll(new RegExp(`<${element}>([\\s\\S]*?)</${element}>`, 'g')), ([, content = '']) => {
    return `'sha256-${createHash('sha256').update(content).digest('base64')}'`;
  }).join(' ');

/**
 * Returns false for a request whose host header names another computer. It protects against DNS rebinding: a foreign page whose name
 * resolves to this computer could otherwise read the control port.
 */
export function isForThisComputer({ headers }: ServiceRequest): boolean {
  const host = (headers['host'] ?? '').replace(/:\d+$/, '').toLowerCase();
  return host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
}
