import { area } from '../http/area.ts'
import * as audit from './audit.ts'
import * as budgets from './budgets.ts'
import * as catalogue from './catalogue.ts'
import * as consoleKeys from './console/keys.ts'
import * as consoleOrganisation from './console/organisation.ts'
import * as consoleOrganisations from './console/organisations.ts'
import * as consoleRequestLog from './console/request-log.ts'
import * as consoleRequests from './console/requests.ts'
import { sections } from './console/sections.ts'
import * as consoleStreams from './console/streams.ts'
import * as consoleUsage from './console/usage.ts'
import * as askKeyPages from './dashboard/ask-key.ts'
import * as deliveryPages from './dashboard/delivery.ts'
import * as devicePages from './dashboard/device.ts'
import { deviceCodes } from './dashboard/device-codes.ts'
import * as eventPages from './dashboard/events.ts'
import { finders } from './dashboard/finders.ts'
import * as keyPages from './dashboard/keys.ts'
import * as logStreamPages from './dashboard/log-stream.ts'
import * as logStreamChanges from './dashboard/log-stream-changes.ts'
import * as logStreamsPages from './dashboard/log-streams.ts'
import * as newKeyPages from './dashboard/new-key.ts'
import * as newLogStreamPages from './dashboard/new-log-stream.ts'
import * as newWebhookPages from './dashboard/new-webhook.ts'
import * as oneKeyPages from './dashboard/one-key.ts'
import * as requestPages from './dashboard/request.ts'
import * as requestsPages from './dashboard/requests.ts'
import * as settingsPages from './dashboard/settings.ts'
import * as brandPages from './dashboard/settings-brand.ts'
import * as providerPages from './dashboard/settings-providers.ts'
import * as supportPages from './dashboard/settings-support.ts'
import * as testInboxPages from './dashboard/test-inbox.ts'
import * as usagePages from './dashboard/usage.ts'
import * as budgetPages from './dashboard/usage-budget.ts'
import * as metricPages from './dashboard/usage-metric.ts'
import * as webhookPages from './dashboard/webhook.ts'
import * as webhookActions from './dashboard/webhook-actions.ts'
import * as webhookChanges from './dashboard/webhook-changes.ts'
import * as webhooksPages from './dashboard/webhooks.ts'
import * as devices from './devices.ts'
import { eventFollowers } from './events/followers.ts'
import * as events from './events.ts'
import * as invitations from './invitations.ts'
import * as keyChecks from './key-checks.ts'
import * as keys from './keys.ts'
import * as members from './members.ts'
import * as organisation from './organisation.ts'
import { requestFollowers } from './requests/followers.ts'
import * as requests from './requests.ts'
import * as streams from './streams.ts'
import * as testMessages from './test-messages.ts'
import * as usage from './usage.ts'
import * as webhookDeliveries from './webhook-deliveries.ts'
import * as webhooks from './webhooks.ts'
import * as whoami from './whoami.ts'

export const account = area({
  name: 'account',
  title: 'Account',
  description: 'API operations, and your organisation: API keys, members, requests, usage, webhooks and audit log.',
  base: '/v1',
  platform: true,
  services: [eventFollowers, requestFollowers, deviceCodes],
  routes: {
    catalogue,
    organisation,
    whoami,
    keys,
    keyChecks,
    devices,
    members,
    invitations,
    audit,
    requests,
    usage,
    budgets,
    events,
    webhooks,
    webhookDeliveries,
    streams,
    testMessages,
  },
  console: {
    sections: Object.values(sections),
    pages: {
      consoleOrganisations,
      consoleOrganisation,
      consoleKeys,
      consoleUsage,
      consoleRequests,
      consoleRequestLog,
      consoleStreams,
    },
  },
  dashboard: {
    finders,
    sections: [
      keyPages.section,
      webhooksPages.section,
      logStreamsPages.section,
      requestsPages.section,
      usagePages.section,
      settingsPages.section,
      testInboxPages.section,
    ],
    pages: {
      keyPages,
      newKeyPages,
      oneKeyPages,
      askKeyPages,
      devicePages,
      requestsPages,
      requestPages,
      webhooksPages,
      newWebhookPages,
      webhookPages,
      deliveryPages,
      webhookChanges,
      webhookActions,
      eventPages,
      logStreamsPages,
      newLogStreamPages,
      logStreamPages,
      logStreamChanges,
      usagePages,
      metricPages,
      budgetPages,
      settingsPages,
      brandPages,
      supportPages,
      providerPages,
      testInboxPages,
    },
    regions: {
      deliveries: webhookPages.deliveryRegion,
      events: eventPages.eventRegion,
      ...testInboxPages.inboxRegions,
    },
  },
})
