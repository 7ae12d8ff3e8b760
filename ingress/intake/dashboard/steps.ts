import type { Provider } from '#sql/intake/sources.ts'
import { type Content, type Html, html } from '../../http/html/html.ts'

/** Where the URL and the secret of a source are entered at its provider. */
const steps: Readonly<Record<Provider, readonly Content[]>> = {
  stripe: [
    'In the Stripe Dashboard, open Workbench, then Webhooks.',
    'Select Add destination, choose the events, and select Webhook endpoint.',
    'Enter the URL of this source.',
    html`Copy the signing secret of the destination, which starts with <code>whsec_</code>. Enter it here under Replace secret.`,
  ],
  github: [
    'In the repository or organisation on GitHub, open Settings, then Webhooks.',
    'Select Add webhook and enter the URL of this source as the payload URL.',
    html`Select the content type <code>application/json</code>.`,
    'Enter the secret of this source as the secret, and choose the events.',
  ],
  shopify: [
    'In the settings of your app, copy the client secret. Enter it here under Replace secret.',
    html`Subscribe to topics with the URL of this source, in <code>shopify.app.toml</code> or with the Admin API.`,
    'For webhooks of the Shopify admin, open Settings, Notifications, Webhooks. The secret is shown below the list.',
  ],
  slack: [
    'In the settings of your Slack app, open Basic Information and copy the signing secret.',
    'Enter it here under Replace secret. Slack checks the URL immediately, so this step comes first.',
    'Open Event Subscriptions, turn on events and enter the URL of this source as the request URL.',
    'Select the events of your bot and save the changes.',
  ],
  standard: [
    'At the provider, add an endpoint with the URL of this source.',
    html`If the provider shows a secret that starts with <code>whsec_</code>, enter it here under Replace secret.`,
    'Otherwise, enter the secret of this source at the provider.',
  ],
  hmac: [
    'At the provider, add a webhook with the URL of this source.',
    'Enter the secret of this source at the provider, or enter the secret of the provider here under Replace secret.',
    'Compare the header, algorithm and encoding below with the documentation of the provider.',
  ],
}

export const setupSteps = (provider: Provider): Html =>
  html`<ol class="steps-of-setup">${steps[provider].map((step) => html`<li>${step}</li>`)}</ol>`
