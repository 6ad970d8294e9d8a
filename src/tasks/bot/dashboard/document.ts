// The HTML of the dashboard, with elements that the page's script fills. It has no inline script or style.

import { html, scriptElement } from '../../../report/page/markup.ts';

/** HTML text. */
export const DOCUMENT = html`<!doctype html>
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>isobar</title>
      <link rel="icon" href="/icon.svg" />
      <link rel="stylesheet" href="/style.css" />
      ${scriptElement('', 'src="/charts.js" defer')} ${scriptElement('', 'src="/page.js" defer')}
    </head>
    <body>
      <header id="state" aria-live="polite">
        <div class="inner">
          <div class="word"><strong id="state-word">–</strong> <span id="state-why"></span></div>
          <div class="acts">
            <button id="seen" hidden>Answer alarm</button>
            <button id="resume" hidden>Resume</button>
            <button id="halt" disabled>Halt</button>
            <button id="kill" disabled>Kill</button>
          </div>
        </div>
      </header>
      <p id="gone" role="alert" hidden></p>
      <main>
        <form id="login" hidden autocomplete="off">
          <h2>Token</h2>
          <p class="muted">One of the three in <code>dashboard.json</code> of the bot's data folder: read, operate or kill.</p>
          <div class="line">
            <input type="text" autocomplete="username" value="isobar" hidden />
            <input id="token" type="password" autocomplete="new-password" aria-label="Token" spellcheck="false" />
            <button type="submit">Open</button>
          </div>
          <p id="login-problem" class="amber" role="alert"></p>
        </form>
        <div id="board" hidden>
          <div class="head">
            <p id="who" class="muted"></p>
            <button id="theme">theme</button>
          </div>
          <section id="kill-progress" hidden>
            <h2>Kill</h2>
            <div id="kill-says"></div>
          </section>
          <section id="unknown" class="amber-edge" hidden>
            <h2>Needs your eye</h2>
            <div id="unknown-list"></div>
          </section>
          <div class="cards" id="cards"></div>
          <div class="grid charts">
            <section id="price">
              <div class="bar">
                <h2>Price</h2>
                <select id="feed" aria-label="Feed"></select>
                <span id="last" class="mono"></span>
              </div>
              <div id="price-chart" class="live-chart"></div>
              <div id="plots" class="muted"></div>
            </section>
            <section id="equity">
              <div class="bar">
                <h2>Equity</h2>
                <span id="equity-note" class="empty"></span>
              </div>
              <div id="equity-chart" class="live-chart"></div>
            </section>
          </div>
          <div class="grid">
            <section id="headroom">
              <h2>Risk headroom</h2>
              <div id="limits"></div>
            </section>
            <section id="health">
              <h2>Health</h2>
              <div id="checks"></div>
            </section>
          </div>
          <section id="strategies">
            <h2>Strategies</h2>
            <div class="scroll" id="strategy-table"></div>
          </section>
          <section id="holdings">
            <h2>Positions</h2>
            <div class="scroll" id="position-table"></div>
          </section>
          <section id="orders">
            <h2>Open orders</h2>
            <div class="scroll" id="order-table"></div>
          </section>
          <section id="fills">
            <h2>Last fills</h2>
            <div class="scroll" id="fill-table"></div>
          </section>
          <section id="decisions">
            <h2>Decisions</h2>
            <ol id="decision-list"></ol>
          </section>
          <footer class="muted">
            Charts: <a href="https://www.tradingview.com/lightweight-charts/" rel="noreferrer noopener">TradingView Lightweight Charts™</a>,
            Copyright 2026 TradingView, Inc.
          </footer>
        </div>
      </main>
      <dialog id="act" aria-labelledby="act-title">
        <h2 id="act-title"></h2>
        <p id="act-says" class="muted"></p>
        <label id="act-flatten-line" class="check" hidden><input id="act-flatten" type="checkbox" /> close all positions too</label>
        <label class="field">Why <input id="act-why" type="text" maxlength="200" /></label>
        <label id="act-typed-line" class="field" hidden>Type <b id="act-word"></b> to confirm <input id="act-typed" type="text" /></label>
        <p id="act-problem" class="amber" role="alert"></p>
        <div class="buttons"><button id="act-no">Cancel</button> <button id="act-yes"></button></div>
      </dialog>
    </body>
  </html> `.text;
