import { area } from '../http/area.ts'
import * as analytics from './analytics.ts'
import * as campaigns from './campaigns.ts'
import * as confirm from './confirm.ts'
import * as consents from './consents.ts'
import * as mailPages from './console/mail-pages.ts'
import { mailRegion } from './console/mail-region.ts'
import * as contactImports from './contact-imports.ts'
import * as contactTopics from './contact-topics.ts'
import * as contacts from './contacts.ts'
import * as campaignPage from './dashboard/campaign.ts'
import * as campaignPreview from './dashboard/campaign-preview.ts'
import { campaignRegion } from './dashboard/campaign-region.ts'
import * as campaignPages from './dashboard/campaigns.ts'
import * as contactPage from './dashboard/contact.ts'
import * as contactEdit from './dashboard/contact-edit.ts'
import * as contactImport from './dashboard/contact-import.ts'
import * as contactPages from './dashboard/contacts.ts'
import { domainRegion } from './dashboard/domain-region.ts'
import * as domainReports from './dashboard/domain-reports.ts'
import * as domainTracking from './dashboard/domain-tracking.ts'
import * as domainPages from './dashboard/domains.ts'
import { finders } from './dashboard/finders.ts'
import * as inboundPages from './dashboard/inbound-routes.ts'
import * as messagePages from './dashboard/mail.ts'
import * as messagePage from './dashboard/message.ts'
import { messageRegion } from './dashboard/message-region.ts'
import * as messageResend from './dashboard/message-resend.ts'
import * as receivedPages from './dashboard/received.ts'
import * as segmentPages from './dashboard/segments.ts'
import * as sendingPages from './dashboard/send-mail.ts'
import * as suppressionPages from './dashboard/suppressions.ts'
import * as templateEdit from './dashboard/template-edit.ts'
import * as templatePage from './dashboard/template-page.ts'
import * as templatePages from './dashboard/templates.ts'
import * as dmarc from './dmarc.ts'
import * as domains from './domains.ts'
import * as forms from './forms.ts'
import * as imports from './imports.ts'
import { inboundDatabase, inboundMail } from './inbound/listener.ts'
import * as inboundRoutes from './inbound-routes.ts'
import * as inboundStorage from './inbound-storage.ts'
import * as links from './links.ts'
import * as messageBatches from './message-batches.ts'
import * as messageContents from './message-contents.ts'
import * as messageResends from './message-resends.ts'
import { outcomeWatch } from './messages/outcome-watch.ts'
import * as messages from './messages.ts'
import * as preferences from './preferences.ts'
import * as preferencesElement from './preferences-element.ts'
import * as preferencesTokens from './preferences-tokens.ts'
import * as received from './received.ts'
import * as reconfirmations from './reconfirmations.ts'
import * as segments from './segments.ts'
import { dns, lookups, mailDomains } from './services.ts'
import * as signUps from './sign-ups.ts'
import * as status from './status.ts'
import { submission, submissions } from './submission/listener.ts'
import * as suppressions from './suppressions.ts'
import * as templateDrafts from './template-drafts.ts'
import * as templateVersions from './template-versions.ts'
import * as templates from './templates.ts'
import * as tlsReports from './tls-reports.ts'
import * as topics from './topics.ts'
import { linkOwners } from './tracking/link-owners.ts'
import { engagementRecorder } from './tracking/recorder.ts'
import * as unsubscribe from './unsubscribe.ts'
import * as usage from './usage.ts'
import * as verify from './verify.ts'
import * as webhookDeliveries from './webhook-deliveries.ts'
import * as webhooks from './webhooks.ts'

/**
 * Email from customers' own domains. Terms:
 *
 * - stream: the kind of message, which decides who may receive it
 * - contact: a person with a consent state
 * - segment: contacts selected by conditions
 * - suppression: an address that receives nothing
 * - attempt: one try to send a message to a server; all attempts are its delivery route
 */
export const email = area({
  name: 'email',
  title: 'Email',
  description: 'Transactional and marketing email from your own domains.',
  base: '/send/v1',
  services: [lookups, dns, mailDomains, outcomeWatch, inboundDatabase, engagementRecorder, linkOwners],
  pages: { links },
  listeners: [inboundMail, submission, submissions],
  routes: {
    domains,
    dmarc,
    tlsReports,
    contacts,
    contactImports,
    contactTopics,
    preferencesTokens,
    preferences,
    preferencesElement,
    topics,
    consents,
    imports,
    forms,
    signUps,
    segments,
    reconfirmations,
    unsubscribe,
    confirm,
    verify,
    messageBatches,
    messages,
    messageContents,
    messageResends,
    inboundRoutes,
    inboundStorage,
    received,
    templates,
    templateDrafts,
    templateVersions,
    campaigns,
    suppressions,
    analytics,
    usage,
    status,
    webhooks,
    webhookDeliveries,
  },
  console: {
    sections: [mailPages.mail],
    pages: { mailPages },
    regions: { mail: mailRegion },
  },
  dashboard: {
    finders,
    sections: [
      messagePages.section,
      receivedPages.section,
      inboundPages.section,
      domainPages.section,
      contactPages.section,
      segmentPages.section,
      campaignPages.section,
      suppressionPages.section,
      templatePages.section,
    ],
    pages: {
      sendingPages,
      messagePages,
      messagePage,
      messageResend,
      receivedPages,
      inboundPages,
      domainPages,
      domainTracking,
      domainReports,
      contactPages,
      contactImport,
      contactPage,
      contactEdit,
      segmentPages,
      campaignPages,
      campaignPage,
      campaignPreview,
      suppressionPages,
      templateEdit,
      templatePage,
      templatePages,
    },
    regions: {
      mail: messageRegion,
      campaign: campaignRegion,
      domain: domainRegion,
      ...receivedPages.receivedRegions,
    },
  },
})
