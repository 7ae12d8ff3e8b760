import { area } from '../http/area.ts'
import * as analytics from './analytics.ts'
import * as campaigns from './campaigns.ts'
import * as confirm from './confirm.ts'
import * as imports from './contact-imports.ts'
import * as contacts from './contacts.ts'
import * as domains from './domains.ts'
import { inboundDatabase, inboundMail } from './inbound/listener.ts'
import * as mailPages from './mail-pages.ts'
import { mailRegion } from './mail-region.ts'
import * as messages from './messages.ts'
import { outcomeWatch } from './outcome-watch.ts'
import * as reconfirmations from './reconfirmations.ts'
import { dns, lookups, mailDomains } from './services.ts'
import * as status from './status.ts'
import * as suppressions from './suppressions.ts'
import * as templates from './templates.ts'
import * as unsubscribe from './unsubscribe.ts'
import * as usage from './usage.ts'
import * as verify from './verify.ts'
import * as webhookDeliveries from './webhook-deliveries.ts'
import * as webhooks from './webhooks.ts'

/**
 * Mail from customers' own domains. Words used here:
 *   stream       what kind of mail a message is, by which it is allowed and leaves
 *   contact      a person and whether they agreed to be written to
 *   suppression  an address that nothing is sent to any more
 *   attempt      one try to hand a message to a server; all are its delivery route
 */
export const email = area({
  name: 'email',
  title: 'Email',
  description: 'Transactional and marketing mail from your own domains.',
  base: '/send/v1',
  services: [lookups, dns, mailDomains, outcomeWatch, inboundDatabase],
  listeners: [inboundMail],
  routes: {
    domains: {
      create: domains.create,
      list: domains.list,
      read: domains.read,
      verify: domains.verify,
      remove: domains.remove,
    },
    contacts: {
      create: contacts.create,
      list: contacts.list,
      read: contacts.read,
      unsubscribe: contacts.unsubscribe,
      remove: contacts.remove,
    },
    'contact-imports': { create: imports.create },
    reconfirmations: { create: reconfirmations.create },
    unsubscribe: { show: unsubscribe.show, act: unsubscribe.act },
    confirm: { show: confirm.show, act: confirm.act },
    verify: { one: verify.one, bulk: verify.bulk },
    messages: { create: messages.create, list: messages.list, read: messages.read },
    templates: {
      create: templates.create,
      list: templates.list,
      read: templates.read,
      update: templates.update,
      remove: templates.remove,
    },
    campaigns: {
      create: campaigns.create,
      list: campaigns.list,
      read: campaigns.read,
      send: campaigns.send,
      cancel: campaigns.cancel,
    },
    suppressions: { list: suppressions.list, create: suppressions.create, remove: suppressions.remove },
    analytics: { overview: analytics.overview },
    usage: { read: usage.read },
    status: { read: status.read },
    webhooks: {
      create: webhooks.create,
      list: webhooks.list,
      remove: webhooks.remove,
      test: webhooks.test,
      rotateSecret: webhooks.rotateSecret,
      enable: webhooks.enable,
    },
    'webhook-deliveries': {
      list: webhookDeliveries.list,
      replay: webhookDeliveries.replay,
      replaySince: webhookDeliveries.replaySince,
    },
  },
  console: {
    sections: [mailPages.mail],
    pages: {
      'mail-pages': {
        overview: mailPages.overview,
        suppressions: mailPages.suppressions,
        message: mailPages.message,
      },
    },
    regions: { mail: mailRegion },
  },
})
