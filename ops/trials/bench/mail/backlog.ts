import { newId } from '#lib/ids.ts'
import { createSeal } from '#lib/seal.ts'
import { createOrg } from '#sql/account/setup.ts'
import { type DatabasePool, sql } from '#sql/db.ts'
import { insertMany as insertContents } from '#sql/email/contents.ts'
import { table as domains, keyTable } from '#sql/email/domains.ts'
import { insertMany as insertMessages } from '#sql/email/messages.ts'
import { addDeliveries } from '#tasks/email/rules/add-deliveries.ts'
import { buildHtml, createDomainKeys } from './message.ts'

/** Creates an organisation with a domain that signs with two keys, its API key, and a function that adds messages. */
export async function makeSender(db: DatabasePool, secret: string) {
  const scopes = ['email:send', 'email:manage']
  const { org, keys } = await createOrg(db, 'bench', 'unlimited', { main: { prefix: 'snd_live_', scopes } })
  const seal = createSeal(secret, 'email dkim')
  const domainId = newId()
  await db.query(
    sql.typeAlias('void')`${domains.insert({
      id: domainId,
      org_id: org.id,
      domain: 'sender.example',
      return_path: 'bounce.sender.example',
      status: 'verified',
      verified_by: 'operator',
    })}`,
  )
  const { rsa, ed } = createDomainKeys()
  for (const [selector, algorithm, pem] of [
    ['rsa', 'rsa-sha256', rsa],
    ['ed', 'ed25519-sha256', ed],
  ] as const) {
    const id = newId()
    await db.query(
      sql.typeAlias('void')`${keyTable.insert({
        id,
        org_id: org.id,
        domain_id: domainId,
        selector,
        algorithm,
        private_key: seal.close(pem, id),
        public_key: '',
        published: true,
      })}`,
    )
  }
  const fill = async (count: number, bytes: number) => {
    for (let sent = 0; sent < count; sent += 500) {
      const batch = Array.from({ length: Math.min(500, count - sent) }, (_, i) =>
        one(org.id, domainId, sent + i, bytes),
      )
      await db.transaction(async (tx) => {
        await insertContents(
          tx,
          batch.map(({ content }) => content),
        )
        await insertMessages(
          tx,
          batch.map(({ message }) => message),
        )
        await addDeliveries(
          tx,
          batch.map(({ message: { id } }) => ({
            messageId: id,
            orgId: org.id,
            stream: 'transactional' as const,
            toDomain: 'rcpt.example',
          })),
        )
      })
    }
  }
  return { orgId: org.id, key: keys.main, fill }
}

function one(orgId: string, domainId: string, i: number, bytes: number) {
  const [id, contentId] = [newId(), newId()]
  const none = { key_id: null, from_name: null, campaign_id: null, contact_id: null, template_id: null, reason: null }
  return {
    content: {
      id: contentId,
      org_id: orgId,
      html: buildHtml(bytes, i),
      text: 'Hello',
      reply_to: null,
      headers: {},
      attachments: [],
    },
    message: {
      id,
      org_id: orgId,
      sandbox: false,
      stream: 'transactional' as const,
      domain_id: domainId,
      from_email: 'hello@sender.example',
      to_email: `r${i}@rcpt.example`,
      subject: `Grüße ${i}`,
      content_id: contentId,
      message_id: `${id}@sender.example`,
      status: 'queued' as const,
      ...none,
    },
  }
}
