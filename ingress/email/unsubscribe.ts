import { z } from 'zod'
import * as publishers from '#sql/account/publishers.ts'
import type { Db } from '#sql/db.ts'
import * as contacts from '#sql/email/contacts.ts'
import { unsubscribe } from '#tasks/email/rules/consent/unsubscribe.ts'
import { readUnsubscribeToken } from '#tasks/email/rules/consent/unsubscribe-link.ts'
import type { Services } from '../http/container.ts'
import { html } from '../http/html/html.ts'
import { mustFind } from '../http/must-find.ts'
import { route } from '../http/route.ts'
import { signingSecret } from '../http/services.ts'
import { button, getSenderName, maskAddress, type Page, sendPage, sharedRouteOptions } from './page.ts'

/** Only displays a button, so clients that follow links do not unsubscribe (RFC 8058 §1). */
export const show = route({
  ...sharedRouteOptions,
  method: 'GET',
  path: '/unsubscribe/{token}',
  summary: 'Show the unsubscribe page',
  async handle({ ctx, db, params: { token }, services }) {
    if (token === 'test') return sendPage(ctx, trial)
    const recipient = await recipientOf(db, token, services)
    const shown = recipient.status === 'unsubscribed' ? done(recipient) : ask(recipient)
    sendPage(ctx, { ...shown, publisher: await publishers.find(db, recipient.org_id) })
  },
})

/**
 * Unsubscribes the recipient, whatever the body is. An email client sends `List-Unsubscribe=One-Click` (RFC 8058 §3.2)
 * and gets 200 without a redirect. The query shows whether the request comes from the page's button.
 */
export const act = route({
  ...sharedRouteOptions,
  method: 'POST',
  path: '/unsubscribe/{token}',
  summary: 'Unsubscribe the recipient of a message (RFC 8058)',
  query: z.object({ by: z.string().optional() }),
  async handle({ ctx, db, params: { token }, query, services }) {
    const recipient = await recipientOf(db, token, services)
    const { org_id: orgId, to_email: email, id: messageId, sandbox } = recipient
    const source = query.by === 'page' ? 'page' : 'one_click'
    await db.transaction((tx) => unsubscribe(tx, { orgId, address: email, source, messageId, sandbox }))
    sendPage(ctx, { ...done(recipient), publisher: await publishers.find(db, orgId) })
  },
})

const trial: Page = {
  title: 'This is a test',
  main: html`<p>Recipients unsubscribe on this page. This link is from a test and unsubscribes no one.</p>`,
}

async function recipientOf(db: Db, token: string, services: Services): Promise<contacts.Recipient> {
  const messageId = readUnsubscribeToken(token, services(signingSecret))
  return await mustFind(messageId === null ? Promise.resolve(null) : contacts.findRecipient(db, messageId), 'page')
}

const ask = (recipient: contacts.Recipient): Page => ({
  title: 'Unsubscribe?',
  main: html`<p>Stop receiving email from <strong>${getSenderName(recipient)}</strong> at ${maskAddress(recipient.to_email)}?</p>
${button('Unsubscribe', '?by=page')}
<p class="quiet">You still receive messages that you request, such as receipts and codes.</p>`,
})

const done = (recipient: contacts.Recipient): Page => ({
  title: 'You are unsubscribed',
  main: html`<p role="status"><strong>${getSenderName(recipient)}</strong> no longer sends email to ${maskAddress(recipient.to_email)}.</p>
<p class="quiet">Messages that were already sent may still arrive.</p>`,
})
