// Sends alerts to a Telegram chat through the Telegram bot API.

import type { Secret } from '../../base/text/secret.ts';
import type { Notifier } from '../../ports/notifier.ts';
import type { Wire } from '../../ports/wire.ts';
import { alertText } from './alertText.ts';
import { httpNotifier } from './httpNotifier.ts';

const API = 'https://api.telegram.org';

/** `token`: of the bot that the operator has made with BotFather; `chatId`: a number or @channel. `api`: another address, for tests. */
export function telegramNotifier(wire: Wire, token: Secret, chatId: string, api = API): Notifier {
  return httpNotifier(wire, {
    name: 'telegram',
    url: `${api}/bot${token.take()}/sendMessage`,
    headers: {},
    // Plain text, so that nothing in it is taken for mark-up. `info` alerts are silent.
    body: (alert) => ({
      chat_id: chatId,
      text: alertText(alert),
      disable_notification: alert.level === 'info',
      link_preview_options: { is_disabled: true },
    }),
  });
}
