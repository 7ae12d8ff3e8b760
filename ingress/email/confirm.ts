import * as publishers from '#sql/account/publishers.ts'
import type { Db } from '#sql/db.ts'
import * as contacts from '#sql/email/contacts.ts'
import { confirm } from '#tasks/email/rules/consent/confirm.ts'
import { readConfirmToken } from '#tasks/email/rules/consent/unsubscribe-link.ts'
import type { Services } from '../http/container.ts'
import { requireOpenOrganisation } from '../http/demand-open.ts'
import { html } from '../http/html/html.ts'
import { mustFind } from '../http/must-find.ts'
import { route } from '../http/route.ts'
import { signingSecret } from '../http/services.ts'
import { button, getSenderName, maskAddress, type Page, sendPage, sharedRouteOptions } from './page.ts'

/** Only displays a button, so clients that follow links do not confirm. */
export const show = route({
  ...sharedRouteOptions,
  method: 'GET',
  path: '/confirm/{token}',
  summary: 'Show the confirmation page',
  async handle({ ctx, db, params: { token }, services }) {
    const asked = await askedOf(db, token, services)
    sendPage(ctx, { ...pageFor(asked, asked.status), publisher: await publishers.find(db, asked.org_id) })
  },
})

export const act = route({
  ...sharedRouteOptions,
  method: 'POST',
  path: '/confirm/{token}',
  summary: 'Confirm a contact',
  async handle({ ctx, db, params: { token }, services }) {
    const asked = await askedOf(db, token, services)
    const status = await db.transaction((tx) => confirm(tx, asked))
    sendPage(ctx, { ...pageFor(asked, status), publisher: await publishers.find(db, asked.org_id) })
  },
})

type ConfirmationContact = contacts.Recipient & { contact_id: string }

async function askedOf(db: Db, token: string, services: Services): Promise<ConfirmationContact> {
  const messageId = readConfirmToken(token, services(signingSecret))
  const found = messageId === null ? null : await contacts.findRecipient(db, messageId)
  const { contact_id, org_id } = await mustFind(Promise.resolve(found), 'page')
  await requireOpenOrganisation(db, org_id, 'page')
  return { ...(found as contacts.Recipient), contact_id: await mustFind(Promise.resolve(contact_id), 'page') }
}

function pageFor(asked: ConfirmationContact, status: contacts.ContactStatus | null): Page {
  const [sender, address] = [getSenderName(asked), maskAddress(asked.to_email)]
  switch (status) {
    case 'confirmed':
      return {
        title: 'Thank you',
        main: html`<p role="status">You have agreed to receive email from <strong>${sender}</strong> at ${address}.</p>
<p class="quiet">You can unsubscribe with a link in every message.</p>`,
      }
    case 'unsubscribed':
      return {
        title: 'You are unsubscribed',
        main: html`<p role="status">You have unsubscribed from <strong>${sender}</strong>. No email is sent to ${address}, and this link does not change that.</p>`,
      }
    default:
      return {
        title: 'Confirm your subscription',
        main: html`<p>Do you want to receive email from <strong>${sender}</strong> at ${address}?</p>
${button('Yes, subscribe')}
<p class="quiet">If you do not want email, close this page. You receive nothing unless you confirm.</p>`,
      }
  }
}
