import { newId } from '#lib/ids.ts'
import { type DatabasePool, sql } from '#sql/db.ts'
import * as suppressions from '#sql/email/contacts/suppressions.ts'
import * as contacts from '#sql/email/contacts.ts'
import * as contents from '#sql/email/contents.ts'
import * as domains from '#sql/email/domains.ts'
import * as inbound from '#sql/email/inbound.ts'
import * as messages from '#sql/email/messages.ts'
import { unsubscribeUrl } from '#tasks/email/rules/consent/unsubscribe-link.ts'
import { returnLocalPart } from '#tasks/email/rules/received/return-path.ts'
import type { Limits } from '../../ingress/email/inbound/admission.ts'
import { listenInbound } from '../../ingress/email/inbound/listener.ts'
import { provide } from '../../ingress/http/container.ts'
import { signingSecret } from '../../ingress/http/services.ts'
import { testDatabase } from '../support/database.ts'
import { type TestScope, testIngress, testOrg } from '../support/ingress.ts'

/** Signs what the tests' messages carry. */
export const secret = 'a signing secret of the tests alone'

/** A message that was delivered, and our addresses in it. */
export interface Sent {
  id: string
  to: string
  messageId: string
  verp: string
  unsubscribe: string
  unsubscribeUrl: string
}

/** An ingress that takes mail on a port, and an organisation with a domain. */
export async function inboundStack(t: TestScope, limits?: Limits, areas: readonly string[] = []) {
  const { db } = await testDatabase(t)
  const { app, url } = await testIngress(t, db, [], {
    only: ['email', ...areas],
    services: [provide(signingSecret, secret)],
  })
  const server = await listenInbound(app, '127.0.0.1', 0, limits)
  t.teardown(() => server.close(0))
  const { org } = await testOrg(db)
  const domainId = newId()
  await db.query(
    sql.typeAlias('void')`${domains.table.insert({
      id: domainId,
      org_id: org.id,
      domain: 'sender.example',
      return_path: 'bounce.sender.example',
      status: 'verified',
      verified_by: 'operator',
      verified_at: new Date(),
    })}`,
  )
  let sent = 0

  return {
    db,
    url,
    org,
    port: server.port,
    /** Records a delivered message; `at` is when it was accepted. */
    async message(facts: { to?: string; at?: number; stream?: messages.Stream } = {}): Promise<Sent> {
      const id = facts.at === undefined ? newId() : idMadeAt(facts.at)
      const to = facts.to ?? `reader${++sent}@rcpt.example`
      const content_id = newId()
      const unsaid = {
        key_id: null,
        campaign_id: null,
        contact_id: null,
        template_id: null,
        reason: null,
        from_name: null,
      }
      await contents.insertMany(db, [
        { id: content_id, org_id: org.id, html: null, text: 'Hello', reply_to: null, headers: {}, attachments: [] },
      ])
      await messages.insertMany(db, [
        {
          ...unsaid,
          id,
          org_id: org.id,
          sandbox: false,
          stream: facts.stream ?? 'subscribed',
          domain_id: domainId,
          from_email: 'news@sender.example',
          to_email: to,
          subject: 'News',
          content_id,
          message_id: `${id}@sender.example`,
          status: 'delivered',
        },
      ])
      return {
        id,
        to,
        messageId: `${id}@sender.example`,
        verp: `${returnLocalPart('b', id, secret)}@bounce.sender.example`,
        unsubscribe: `${returnLocalPart('u', id, secret)}@bounce.sender.example`,
        unsubscribeUrl: unsubscribeUrl('https://api.example', id, secret),
      }
    },
    read: async (id: string) => await messages.find(db, org.id, id),
    suppressed: (email: string) => suppressions.findMany(db, [{ org_id: org.id, email }]),
    /** What was noted of a message, the latest first. */
    noted: async (id?: string) => (await inbound.list(db, 50, id)).map(({ kind }) => kind),
  }
}

/** The id of an earlier message, as time-ordered ids have it. */
function idMadeAt(at: number): string {
  const hex = at.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}${newId().slice(13)}`
}

/** The organisation's table of contacts, as far as consent goes. */
export async function addContact(db: DatabasePool, orgId: string, email: string): Promise<void> {
  await db.query(sql.typeAlias('void')`
    insert into email.contacts (id, org_id, email, status, confirmed_at)
    values (${newId()}, ${orgId}, ${email}, 'confirmed', now())`)
}

/** Whether a contact agreed. */
export const contactStatus = async (db: DatabasePool, orgId: string, email: string): Promise<string | undefined> =>
  (await contacts.find(db, orgId, email))?.status

/** A multipart/report of its parts, each with its type. */
export function report(type: string, ...parts: [type: string, body: string][]): string {
  const body = parts.map(([type, text]) => `--=_b\nContent-Type: ${type}\n\n${text}\n`).join('')
  return `From: MAILER-DAEMON@mx.rcpt.example
Subject: Report
MIME-Version: 1.0
Content-Type: multipart/report; report-type=${type};
\tboundary="=_b"

${body}--=_b--
`
}

/** A delivery report with the fields of its one recipient. */
export const dsn = (fields: string): string =>
  report(
    'delivery-status',
    ['text/plain', 'It could not be delivered.'],
    ['message/delivery-status', `Reporting-MTA: dns; mx.rcpt.example\n\n${fields}\n`],
  )
