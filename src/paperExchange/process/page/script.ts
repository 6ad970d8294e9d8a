// The script of the control page: it fetches the page again every second and replaces what has changed.

/**
 * Updates only elements that have `data-live` and an id, so that selections, scrolling and focus stay. Without a reply the page turns grey
 * and shows a notice within three seconds, so that old numbers never look current.
 */
export const SCRIPT = `
const stale = document.getElementById('stale');
async function refresh() {
  try {
    const answer = await fetch(location.href, { cache: 'no-store', signal: AbortSignal.timeout(1500) });
    if (!answer.ok) throw new Error(answer.status);
    const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html');
    for (const part of fresh.querySelectorAll('[data-live]')) {
      const shownPart = document.getElementById(part.id);
      if (shownPart && shownPart.innerHTML !== part.innerHTML) shownPart.innerHTML = part.innerHTML;
    }
    delete document.documentElement.dataset.stale;
    stale.hidden = true;
  } catch {
    document.documentElement.dataset.stale = '';
    stale.hidden = false;
  }
  setTimeout(refresh, 1000);
}
setTimeout(refresh, 1000);
`;
