import { publicUrl } from '#lib/config.ts'
import { changeHidden, maskHidden } from '#lib/hidden-text.ts'
import { listPlaceholders } from '#lib/placeholders.ts'
import type { Db } from '#sql/db.ts'
import * as contents from '#sql/email/contents.ts'
import * as merges from '#sql/email/delivery/merges.ts'
import type { Message } from '#sql/email/messages.ts'
import { keepDays } from '#sql/email/sandbox.ts'
import { getRetentionMs } from '#sql/retention.ts'
import { fillPart, unsubscribeField } from '#tasks/email/rules/campaigns/merge-fields.ts'
import { quickTextOf } from '#tasks/email/rules/html-text.ts'
import { problem } from '../../http/problem-kinds.ts'

export interface MessageContent extends Pick<contents.ShownContent, 'attachments' | 'headers' | 'reply_to'> {
  html: string | null
  /** Null if the text is created from HTML that is too long for a page. */
  text: string | null
}

/** Time until which the content of a message is kept. Pending messages keep their content longer. */
export function contentKeptUntil({ sandbox, created_at }: Pick<Message, 'sandbox' | 'created_at'>): Date {
  const [retention] = contents.table.retentions
  const ms = sandbox ? keepDays * 86_400_000 : retention ? getRetentionMs(retention) : 0
  return new Date(created_at.getTime() + ms)
}

export const contentDeleted = problem(410, 'content_deleted', 'The content of the message was deleted.')

export const createContentDeleted = (message: Pick<Message, 'sandbox' | 'created_at'>) => {
  const kept_until = contentKeptUntil(message).toISOString()
  return contentDeleted(`The content of this message was kept until ${kept_until}. Send a new message instead.`, {
    kept_until,
  })
}

/** Returns the content of a message as its recipient sees it. Null if the content was deleted. */
export async function findMessageContent(
  db: Db,
  message: Pick<Message, 'id' | 'content_id' | 'campaign_id'>,
): Promise<MessageContent | null> {
  const found = await contents.findShown(db, message.content_id)
  if (!found) return null
  const content = { ...found, html: changeHidden(found.html, maskHidden), text: changeHidden(found.text, maskHidden) }
  const { attachments, headers, reply_to } = content
  const { html, text } = message.campaign_id === null ? content : await personal(db, message.id, content)
  return { html, text: text ?? (html === null ? null : quickTextOf(html)), attachments, headers, reply_to }
}

/** Fills in the placeholders of a campaign. The unsubscribe link of the page unsubscribes nobody. */
async function personal(db: Db, id: string, { html, text }: contents.ShownContent) {
  const [merge] = listPlaceholders(html, text).length > 0 ? await merges.findMany(db, [id]) : []
  if (!merge) return { html, text }
  const fields = { ...merge.fields, [unsubscribeField]: `${publicUrl()}/send/v1/unsubscribe/test` }
  return {
    html: html === null ? null : (fillPart('html', html, fields) ?? null),
    text: text === null ? null : (fillPart('text', text, fields) ?? null),
  }
}
