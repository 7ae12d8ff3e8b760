import { area } from '../http/area.ts'
import * as callbacks from './callbacks.ts'
import * as messagePages from './dashboard/message.ts'
import * as overviewPages from './dashboard/messages.ts'
import * as optOutPages from './dashboard/opt-outs.ts'
import * as providerPages from './dashboard/provider.ts'
import * as providerListPages from './dashboard/providers.ts'
import { section } from './dashboard/section.ts'
import * as sendPages from './dashboard/send.ts'
import * as settingPages from './dashboard/settings.ts'
import * as messages from './messages.ts'
import * as optOuts from './opt-outs.ts'
import * as providers from './providers.ts'
import * as settings from './settings.ts'

/**
 * Text messages by SMS.
 * Terms:
 * - provider: a connection to a company that sends messages, with the account of the organisation
 * - sender: the number or name from which a message is sent
 * - segment: a part of a message that the provider bills
 * - keyword: STOP, START or HELP in one of many languages
 */
export const sms = area({
  name: 'sms',
  title: 'SMS',
  description: 'Send and receive text messages with your account at an SMS provider.',
  base: '/v1/sms',
  platform: true,
  routes: { messages, providers, optOuts, settings, callbacks },
  dashboard: {
    finders: messagePages.finders,
    sections: [section],
    pages: {
      ...{ overviewPages, messagePages, sendPages, providerListPages, providerPages, optOutPages, settingPages },
    },
    regions: { sms: overviewPages.messagesRegion, 'sms-message': messagePages.messageRegion },
  },
})
