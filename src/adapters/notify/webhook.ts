// Posts alerts to a webhook: the user's own address, or a chat that accepts {text}.

import type { Secret } from '../../base/text/secret.ts';
import { formatTime } from '../../model/time.ts';
import type { Alert, Notifier } from '../../ports/notifier.ts';
import type { Wire } from '../../ports/wire.ts';
import { alertText } from './alertText.ts';
import { httpNotifier } from './httpNotifier.ts';

/**
 * Posts every member of the alert, and `text`, which most chats show. `token` is sent as `Authorization: Bearer`. The address may be a
 * secret too.
 */
export function webhookNotifier(wire: Wire, url: Secret, token: Secret | null): Notifier {
  const headers: Readonly<Record<string, string>> = token === null ? {} : { Authorization: `Bearer ${token.take()}` };
  const body = (alert: Alert): unknown => ({ text: alertText(alert), ...alert, time: formatTime(alert.timeMs) });
  return httpNotifier(wire, { name: 'webhook', url: url.take(), headers, body });
}
