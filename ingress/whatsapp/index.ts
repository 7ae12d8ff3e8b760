import { area } from '../http/area.ts'
import * as conversationPages from './dashboard/conversations.ts'
import * as templatePages from './dashboard/new-template.ts'
import * as numberPages from './dashboard/number.ts'
import * as messages from './messages.ts'
import * as numbers from './numbers.ts'
import { settings } from './settings.ts'
import { sentWatch } from './settle-sent.ts'
import { templateCopy } from './template-copy.ts'
import * as templates from './templates.ts'
import * as webhook from './webhook.ts'

/**
 * Messages by WhatsApp. Words used here:
 *   window     24 hours from a person's last message, in which free-form messages may go to them
 *   free-form  a message of any content; outside the window only templates may be sent
 *   template   a message that Meta has approved, with variables
 *   wamid      a message's id at WhatsApp
 */
export const whatsapp = area({
  name: 'whatsapp',
  title: 'WhatsApp',
  description: 'Send messages from the platform’s business number or your own.',
  base: '/v1/whatsapp',
  platform: true,
  services: [settings, sentWatch, templateCopy],
  routes: { messages, numbers, templates, webhook },
  dashboard: { sections: [conversationPages.section], pages: { conversationPages, numberPages, templatePages } },
})
