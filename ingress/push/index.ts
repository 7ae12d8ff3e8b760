import { area } from '../http/area.ts'
import * as apps from './apps.ts'
import * as browser from './browser.ts'
import * as pushPages from './console/push-pages.ts'
import { pushRegion } from './console/push-region.ts'
import * as credentials from './credentials.ts'
import * as appPage from './dashboard/app.ts'
import * as appPages from './dashboard/apps.ts'
import * as credentialPages from './dashboard/credentials.ts'
import { finders } from './dashboard/finders.ts'
import * as insightPages from './dashboard/insights.ts'
import * as installationPages from './dashboard/installations.ts'
import * as messagePage from './dashboard/message.ts'
import { messageRegion } from './dashboard/message-region.ts'
import * as messagePages from './dashboard/messages.ts'
import * as publicKey from './dashboard/public-key.ts'
import * as publicKeyPage from './dashboard/public-key-page.ts'
import * as sendPage from './dashboard/send.ts'
import * as templatePage from './dashboard/template.ts'
import * as templatePreview from './dashboard/template-preview.ts'
import * as templatePages from './dashboard/templates.ts'
import * as testMessage from './dashboard/test-message.ts'
import * as deliveries from './deliveries.ts'
import * as demo from './demo.ts'
import * as insights from './insights.ts'
import * as installationExport from './installation-export.ts'
import * as installations from './installations.ts'
import { messageStreams } from './message-streams.ts'
import * as messages from './messages.ts'
import * as page from './page.ts'
import * as publicKeys from './public-keys.ts'
import * as receipts from './receipts.ts'
import * as stream from './stream.ts'
import * as templates from './templates.ts'
import * as topics from './topics.ts'
import * as trace from './trace.ts'
import * as userTokens from './user-tokens.ts'
import * as users from './users.ts'
import * as webhookDeliveries from './webhook-deliveries.ts'
import * as webhooks from './webhooks.ts'

/**
 * Notifications to every device of a user, or of many users.
 *
 * Terms:
 * - app: has credentials with providers, users and their devices
 * - user: a person, by the customer’s own ID
 * - installation: a device, browser or stream of a user; anonymous until it is claimed
 * - topic: has subscriptions of users and devices
 * - segment: devices by their tags
 * - message: sent to one user or to many
 * - delivery: a message on its way to one installation
 * - attempt: one request to a provider for a delivery
 */
export const push = area({
  name: 'push',
  title: 'Push',
  description: 'Notifications to every device of a user.',
  base: '/push/v1',
  platform: false,
  services: [messageStreams],
  pages: { demo },
  routes: {
    messages,
    trace,
    installations,
    installationExport,
    users,
    topics,
    apps,
    credentials,
    receipts,
    stream,
    insights,
    deliveries,
    templates,
    webhooks,
    webhookDeliveries,
    browser,
    userTokens,
    publicKeys,
    page,
  },
  console: {
    sections: [pushPages.pushes],
    pages: { pushPages },
    regions: { push: pushRegion },
  },
  dashboard: {
    finders,
    sections: [appPages.section],
    pages: {
      appPages,
      appPage,
      credentialPages,
      insightPages,
      installationPages,
      messagePages,
      sendPage,
      testMessage,
      messagePage,
      publicKey,
      publicKeyPage,
      templatePages,
      templatePreview,
      templatePage,
    },
    regions: { 'push-message': messageRegion },
  },
})
