// What the control page runs in the browser: it asks for itself again every second, and puts what changed in place.

/**
 * Whatever has `data-live` and an id is kept up to date, and nothing else is touched: selections, scrolling and focus stay. Without an
 * answer the page turns grey and says so within three seconds: old numbers are never shown as new.
 */
export const SCRIPT = `
const stale = document.getElementById('stale');
async function turn() {
  try {
    const answer = await fetch(location.href, { cache: 'no-store', signal: AbortSignal.timeout(1500) });
    if (!answer.ok) throw new Error(answer.status);
    const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html');
    for (const part of fresh.querySelectorAll('[data-live]')) {
      const shown = document.getElementById(part.id);
      if (shown && shown.innerHTML !== part.innerHTML) shown.innerHTML = part.innerHTML;
    }
    delete document.documentElement.dataset.stale;
    stale.hidden = true;
  } catch {
    document.documentElement.dataset.stale = '';
    stale.hidden = false;
  }
  setTimeout(turn, 1000);
}
setTimeout(turn, 1000);
`;
