import { append } from '#sql/account/audit.ts'
import * as rows from '#sql/account/test-messages.ts'
import type { Db } from '#sql/db.ts'
import * as contents from '#sql/email/contents.ts'
import * as messages from '#sql/email/messages.ts'
import { type Doer, toAct } from './doer.ts'

export type TestMessageInput = Omit<rows.NewTestMessage, 'org_id' | 'key_id' | 'bytes'> & {
  orgId: string
  keyId: string | null
}

const mostTitle = 1_000

/**
 * Stores messages of test keys in the inbox only. Their area gets no rows or jobs, which a retry or worker could
 * deliver.
 */
export async function keepTestMessages(tx: Db, given: readonly TestMessageInput[]): Promise<void> {
  if (given.length === 0) return
  await rows.insertMany(
    tx,
    given.map(({ orgId, keyId, title, content, record, ...facts }) => ({
      ...facts,
      org_id: orgId,
      key_id: keyId,
      title: title.slice(0, mostTitle).toWellFormed(),
      content,
      record,
      bytes: Buffer.byteLength(JSON.stringify([content, record])),
    })),
  )
  for (const orgId of new Set(given.map(({ orgId }) => orgId))) await rows.trim(tx, orgId)
}

/** Returns the content of a test message. `null` for an email that the email area has deleted. */
export async function readContent(db: Db, message: rows.TestMessage): Promise<Record<string, unknown> | null> {
  if (message.channel !== 'email') return message.content
  const mail = await messages.find(db, message.org_id, message.id)
  const [said] = mail ? await contents.findContents(db, [mail.content_id]) : []
  if (!mail || !said) return null
  const { html, text, reply_to, headers, attachments } = said
  const files = attachments.map(({ filename, content_type }) => ({ filename, content_type }))
  const from = { email: mail.from_email, name: mail.from_name }
  return { from, subject: mail.subject, text, html, reply_to, headers, attachments: files }
}

export async function clearTestMessages(tx: Db, doer: Doer): Promise<number> {
  const deleted = await rows.clear(tx, doer.orgId)
  await append(tx, { ...toAct(doer), action: 'test_messages.cleared', after: { deleted } })
  return deleted
}
