import * as rows from '#sql/account/test-messages.ts'
import type { Db } from '#sql/db.ts'
import { isChatChannel } from '#sql/notify/connections.ts'
import type * as copies from '#sql/notify/copies.ts'
import { lockOrgLimit } from '#sql/org-limits.ts'
import { keepTestMessages } from '../../account/rules/test-messages.ts'
import { emitMany } from '../../webhooks/rules/emit.ts'
import { submitChats } from './accept-chats.ts'
import { submitMails } from './accept-mails.ts'
import { submitPushes } from './accept-pushes.ts'
import { submitSms } from './accept-sms.ts'
import { submitWhatsapps } from './accept-whatsapps.ts'
import { draftEvents, type EventDraft, type EventRequest } from './draw-up.ts'
import { formatMail } from './mail-text.ts'
import { createCopies, presentAccepted } from './record-events.ts'

/**
 * Stores events of test keys in the test inbox, with their copies. They are in no person’s inbox, wait for no digest,
 * and have no job. Dedupe keys only apply among test events. Returns each response, and whether the event already
 * existed.
 */
export async function recordTestEvents(tx: Db, wanted: readonly EventRequest[]) {
  await lockDedupes(tx, wanted)
  const kept: { record: object; deduplicated: boolean }[] = []
  for (const draft of await draftEvents(tx, wanted, { isTest: true })) {
    const first = await firstOf(tx, draft)
    kept.push(first ? { record: first, deduplicated: true } : { record: await keep(tx, draft), deduplicated: false })
  }
  return kept
}

/** In a fixed order, so that groups with the same organisations cannot deadlock. */
async function lockDedupes(tx: Db, wanted: readonly EventRequest[]): Promise<void> {
  const deduped = wanted.filter(({ dedupe_key }) => dedupe_key !== null)
  for (const orgId of [...new Set(deduped.map(({ org_id }) => org_id))].sort())
    await lockOrgLimit(tx, orgId, 'notify.events.sandbox')
}

async function firstOf(tx: Db, { row }: EventDraft): Promise<object | null> {
  const { org_id, subject, user_id, product_key, dedupe_key } = row
  const subject_user_id = subject ?? user_id
  if (dedupe_key === null) return null
  return await rows.findRecordWith(tx, org_id, 'notify', { subject_user_id, product_key, dedupe_key })
}

async function keep(tx: Db, draft: EventDraft): Promise<object> {
  const { id, org_id: orgId, key_id: keyId, user_id, subject, ...facts } = draft.row
  const { title, body, data, url, channels } = facts
  const waiting = createCopies(draft).map((copy) => ({ ...copy, ...draft.row, digest_id: null, sandbox: true }))
  const mails = waiting.filter(({ channel }) => channel === 'email')
  const ended = [
    ...(await submitMails(
      tx,
      mails.map((copy) => ({ copies: [copy], ...formatMail([copy]) })),
    )),
    ...(await submitPushes(
      tx,
      waiting.filter(({ channel }) => channel === 'push'),
    )),
    ...(await submitWhatsapps(
      tx,
      waiting.filter(({ channel }) => channel === 'whatsapp'),
    )),
    ...(await submitSms(
      tx,
      waiting.filter(({ channel }) => channel === 'sms'),
    )),
    ...(await submitChats(
      tx,
      waiting.filter(({ channel }) => isChatChannel(channel)),
    )),
  ]
  const created_at = new Date().toISOString()
  const record = {
    id,
    ...facts,
    subject_user_id: subject ?? user_id,
    created_at,
    sandbox: true,
    copies: ended.map(copyOf(created_at)),
  }
  const content = { title, body, data, url, channels }
  await keepTestMessages(tx, [
    { id, orgId, keyId, channel: 'notify', recipient: subject ?? user_id, title, content, record },
  ])
  const event = presentAccepted(draft.row)
  await emitMany(tx, [{ ...event, data: { ...event.data, sandbox: true } }])
  return record
}

const copyOf =
  (ended_at: string) =>
  ({ event_id: _, ...copy }: copies.EndedCopy) => ({ ...copy, ended_at })
