import { Channel } from '#sql/notify/preferences.ts'
import { type Html, html } from '../../http/html/html.ts'
import { maskAddress, type Page } from '../page.ts'
import { nameOfChannel, nameOfType } from './fields.ts'
import type { PreferencesOwner, ShownPreferences, ShownTopic } from './load.ts'

const channelWords: Record<Channel, string> = {
  in_app: 'In the app',
  email: 'Email',
  push: 'Push',
  whatsapp: 'WhatsApp',
  sms: 'SMS',
  slack: 'Slack',
  teams: 'Microsoft Teams',
  discord: 'Discord',
  url: 'Other service',
}

/** Channels that are only offered to people who have selected them, because they need a connection. */
const ofConnections = new Set<Channel>(['slack', 'teams', 'discord', 'url'])

/** Returns the preference page of a contact. */
export function renderPreferences(owner: PreferencesOwner, shown: ShownPreferences, isSaved: boolean): Page {
  const { contact, address } = owner
  const { topics, notifications, publisher } = shown
  const isOut = contact?.status === 'unsubscribed'
  const isEmpty = topics.length === 0 && notifications.length === 0
  return {
    title: 'Email preferences',
    publisher,
    main: html`${isSaved && html`<p role="status"><strong>Your preferences are saved.</strong></p>`}
<p>Preferences for ${maskAddress(address)}.</p>
${isOut && html`<p role="status">You have unsubscribed from all marketing email. This page does not change that.</p>`}
${!isEmpty && html`<form method="post" action="?">${topics.length > 0 && topicsField(topics)}${notifications.length > 0 && notificationsField(notifications)}<button name="what" value="save">Save preferences</button></form>`}
${
  !isOut &&
  html`<form method="post" action="?"><button class="plain" name="what" value="all">Unsubscribe from all marketing email</button></form>
<p class="quiet">Unsubscribing from all marketing email is permanent. You still receive messages that you request, such as receipts and codes.</p>`
}`,
  }
}

const topicsField = (topics: readonly ShownTopic[]): Html =>
  html`<fieldset><legend>Email topics</legend>${topics.map(
    ({ key, name, description, state }) =>
      html`<input type="hidden" name="offered" value="${key}"><label class="choice"><input type="checkbox" name="topic" value="${key}"${state === 'subscribed' && html` checked`}> <span>${name}${description && html`<span class="quiet">${description}</span>`}</span></label>`,
  )}</fieldset>`

const notificationsField = (notifications: ShownPreferences['notifications']): Html =>
  html`${notifications.map((one) => {
    const name = nameOfType(one)
    return html`<fieldset><legend>${one.product_key}: ${one.type === '*' ? 'all other notifications' : one.type}</legend><input type="hidden" name="types" value="${name}">${Channel.options
      .filter((channel) => !ofConnections.has(channel) || one.channels.includes(channel))
      .map(
        (channel) =>
          html`<label class="choice"><input type="checkbox" name="channel" value="${nameOfChannel(name, channel)}"${one.channels.includes(channel) && html` checked`}> <span>${channelWords[channel]}</span></label>`,
      )}</fieldset>`
  })}`
