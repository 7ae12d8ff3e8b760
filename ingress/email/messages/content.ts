import { publicUrl } from '#lib/config.ts'
import { changeHidden, maskHidden } from '#lib/hidden-text.ts'
import { listPlaceholders } from '#lib/placeholders.ts'
import type { Db } from '#sql/db.ts'
import * as contents from '#sql/email/contents.ts'
import * as merges from '#sql/email/delivery/merges.ts'
import type { Message } from '#sql/email/messages.ts'
import { keepDays } from '#sql/email/sandbox.ts'
import { getRetentionMs } from '#sql/retention.ts'
import { renderPersonal, toReason } from '#tasks/email/rules/campaigns/liquid-campaign.ts'
import { fillPart, unsubscribeField } from '#tasks/email/rules/campaigns/merge-fields.ts'
import { quickTextOf } from '#tasks/email/rules/html-text.ts'
import { problem } from '../../http/problem-kinds.ts'
import { toUnavailable } from '../templates/rendering.ts'

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
  message: Pick<Message, 'id' | 'org_id' | 'content_id' | 'campaign_id'>,
): Promise<MessageContent | null> {
  const found = await contents.findShown(db, message.content_id)
  if (!found) return null
  const content = { ...found, html: changeHidden(found.html, maskHidden), text: changeHidden(found.text, maskHidden) }
  const { attachments, headers, reply_to } = content
  const { html, text } = message.campaign_id === null ? content : await personal(db, message, content)
  return { html, text: text ?? (html === null ? null : quickTextOf(html)), attachments, headers, reply_to }
}

/** Fills in the placeholders of a campaign. The unsubscribe link of the page unsubscribes nobody. */
async function personal(db: Db, { id, org_id }: Pick<Message, 'id' | 'org_id'>, content: contents.ShownContent) {
  const { html, text, partials } = content
  const isPersonal = partials !== null || listPlaceholders(html, text).length > 0
  const [merge] = isPersonal ? await merges.findMany(db, [id]) : []
  if (!merge) return { html, text }
  if (partials !== null) {
    const url = `${publicUrl()}/send/v1/unsubscribe/test`
    const made = await renderPersonal(org_id, content, merge.fields, url).catch(toUnavailable)
    return 'faults' in made ? { html: null, text: toReason(made.faults) } : made
  }
  const fields = { ...merge.fields, [unsubscribeField]: `${publicUrl()}/send/v1/unsubscribe/test` }
  return {
    html: html === null ? null : (fillPart('html', html, fields) ?? null),
    text: text === null ? null : (fillPart('text', text, fields) ?? null),
  }
}
