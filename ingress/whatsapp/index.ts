import { area } from '../http/area.ts'
import * as conversation from './dashboard/conversation.ts'
import * as conversations from './dashboard/conversations.ts'
import { finders } from './dashboard/finders.ts'
import * as messagePage from './dashboard/message.ts'
import * as newTemplate from './dashboard/new-template.ts'
import * as numberPages from './dashboard/number.ts'
import * as secretPages from './dashboard/number-secrets.ts'
import { section } from './dashboard/section.ts'
import * as sendPages from './dashboard/send.ts'
import * as template from './dashboard/template.ts'
import * as templateList from './dashboard/templates.ts'
import * as messages from './messages.ts'
import * as numbers from './numbers.ts'
import * as recipients from './recipients.ts'
import { settings } from './settings.ts'
import { sentWatch } from './settle-sent.ts'
import { templateCopy } from './template-copy.ts'
import * as templates from './templates.ts'
import * as webhook from './webhook.ts'

/**
 * WhatsApp messages.
 * Terms:
 * - window: 24 hours after a person's last message, in which free-form messages can be sent
 * - free-form: a message of any content. Outside the window, only templates can be sent
 * - template: a message with variables that Meta has approved
 * - wamid: the ID of a message at WhatsApp
 */
export const whatsapp = area({
  name: 'whatsapp',
  title: 'WhatsApp',
  description: 'Send messages from the platform’s business number or your own.',
  base: '/v1/whatsapp',
  platform: true,
  services: [settings, sentWatch, templateCopy],
  routes: { messages, numbers, recipients, templates, webhook },
  dashboard: {
    finders,
    sections: [section],
    pages: {
      conversations,
      conversation,
      messagePage,
      numberPages,
      secretPages,
      sendPages,
      newTemplate,
      templateList,
      template,
    },
    regions: {
      whatsapp: conversations.conversationsRegion,
      'whatsapp-chat': conversation.chatRegion,
      'whatsapp-statuses': conversation.statusesRegion,
      'whatsapp-message': messagePage.messageRegion,
      'whatsapp-template': template.templateRegion,
      'whatsapp-templates': templateList.templatesRegion,
    },
  },
})
