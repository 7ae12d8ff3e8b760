import { z } from 'zod'
import * as publishers from '#sql/account/publishers.ts'
import type { Db } from '#sql/db.ts'
import * as contacts from '#sql/email/contacts.ts'
import * as topics from '#sql/email/topics.ts'
import { preferencesUrl, signPreferences } from '#tasks/email/rules/consent/preferences-link.ts'
import { readUnsubscribeToken } from '#tasks/email/rules/consent/unsubscribe-link.ts'
import { unsubscribeRecipient } from '#tasks/email/rules/consent/unsubscribe-recipient.ts'
import type { Services } from '../http/container.ts'
import { html } from '../http/html/html.ts'
import { mustFind } from '../http/must-find.ts'
import { route } from '../http/route.ts'
import { signingSecret } from '../http/services.ts'
import { button, getSenderName, maskAddress, type Page, sendPage, sharedRouteOptions } from './page.ts'

/** Only displays buttons, so clients that follow links do not unsubscribe (RFC 8058 §1). */
export const show = route({
  ...sharedRouteOptions,
  method: 'GET',
  path: '/unsubscribe/{token}',
  summary: 'Show the unsubscribe page',
  async handle({ ctx, db, params: { token }, services }) {
    if (token === 'test') return sendPage(ctx, trial)
    const recipient = await recipientOf(db, token, services)
    const shown = isDone(recipient) ? done(recipient, services) : ask(recipient, services)
    sendPage(ctx, { ...shown, publisher: await publishers.find(db, recipient.org_id) })
  },
})

/**
 * Unsubscribes the recipient, whatever the body is: from the topic of the message, or from all email if it has none. An
 * email client sends `List-Unsubscribe=One-Click` (RFC 8058 §3.2) and gets 200 without a redirect. The query shows
 * whether the request comes from a button of the page, and whether it is for all email.
 */
export const act = route({
  ...sharedRouteOptions,
  method: 'POST',
  path: '/unsubscribe/{token}',
  summary: 'Unsubscribe the recipient of a message (RFC 8058)',
  query: z.object({ by: z.string().optional(), all: z.string().optional() }),
  async handle({ ctx, db, params: { token }, query, services }) {
    const recipient = await recipientOf(db, token, services)
    const source = query.by === 'page' ? 'page' : 'one_click'
    await db.transaction((tx) => unsubscribeRecipient(tx, recipient, source, { all: query.all !== undefined }))
    const after = await recipientOf(db, token, services)
    sendPage(ctx, { ...done(after, services), publisher: await publishers.find(db, recipient.org_id) })
  },
})

const trial: Page = {
  title: 'This is a test',
  main: html`<p>Recipients unsubscribe on this page. This link is from a test and unsubscribes no one.</p>`,
}

interface Recipient extends contacts.Recipient {
  /** Name of the topic. Null if the message has no topic, or if the topic was deleted. */
  topicName: string | null
  hasLeftTopic: boolean
}

async function recipientOf(db: Db, token: string, services: Services): Promise<Recipient> {
  const messageId = readUnsubscribeToken(token, services(signingSecret))
  const found = await mustFind(
    messageId === null ? Promise.resolve(null) : contacts.findRecipient(db, messageId),
    'page',
  )
  if (found.topic === null) return { ...found, topicName: null, hasLeftTopic: false }
  const [topic, contact] = await Promise.all([
    topics.find(db, found.org_id, found.topic),
    contacts.find(db, found.org_id, found.to_email, found.sandbox),
  ])
  return {
    ...found,
    topicName: topic?.name ?? found.topic,
    hasLeftTopic: contact?.topics[found.topic] === 'unsubscribed',
  }
}

const isDone = ({ status, hasLeftTopic }: Recipient): boolean => status === 'unsubscribed' || hasLeftTopic

function preferencesLink({ id }: Recipient, services: Services) {
  const path = preferencesUrl('', signPreferences({ m: id }, services(signingSecret)))
  return html`<p><a href="${path}">Choose which email you receive</a></p>`
}

const ask = (recipient: Recipient, services: Services): Page => ({
  title: 'Unsubscribe?',
  main: html`<p>Stop receiving ${recipient.topicName === null ? 'email' : html`<strong>${recipient.topicName}</strong>`} from <strong>${getSenderName(recipient)}</strong> at ${maskAddress(recipient.to_email)}?</p>
${recipient.topicName === null ? button('Unsubscribe', '?by=page') : html`${button(`Unsubscribe from ${recipient.topicName}`, '?by=page')}${button('Unsubscribe from all marketing email', '?by=page&all')}`}
${preferencesLink(recipient, services)}
<p class="quiet">You still receive messages that you request, such as receipts and codes.</p>`,
})

const done = (recipient: Recipient, services: Services): Page => ({
  title: 'You are unsubscribed',
  main: html`<p role="status"><strong>${getSenderName(recipient)}</strong> no longer sends ${recipient.status === 'unsubscribed' || recipient.topicName === null ? 'email' : html`<strong>${recipient.topicName}</strong>`} to ${maskAddress(recipient.to_email)}.</p>
${recipient.status !== 'unsubscribed' && recipient.topicName !== null && button('Unsubscribe from all marketing email', '?by=page&all')}
${preferencesLink(recipient, services)}
<p class="quiet">Messages that were already sent may still arrive.</p>`,
})
