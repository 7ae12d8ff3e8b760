import { newId } from '#lib/ids.ts'
import * as channels from '#sql/bots/channels.ts'
import * as unanswered from '#sql/bots/unanswered.ts'
import { type Db, sql } from '#sql/db.ts'

// biome-ignore lint/suspicious/noExplicitAny: replies of many operations.
type Call = (request: string, body: unknown) => Promise<any>

/**
 * Two open questions in one group, a channel, a label, a canned reply, a vector store with a text, and a reconciliation
 * URL.
 */
export async function addKnowledge(db: Db, bot: { org_id: string; bot_id: string }, made: Call): Promise<void> {
  const questions = [
    ['a', 'Where is my bike?'],
    ['b', 'When does my bike arrive?'],
  ] as const
  for (const [fingerprint, question] of questions) await unanswered.countQuestion(db, { ...bot, fingerprint, question })
  await db.query(sql.typeAlias('void')`
    update bots.unanswered set group_id = (select min(id::text)::uuid from bots.unanswered where bot_id = ${bot.bot_id})
    where bot_id = ${bot.bot_id}`)
  await made('POST /v1/bots/conversations/labels', { name: 'Refund', color: 'orange' })
  await made('POST /v1/bots/conversations/canned-replies', { shortcut: 'refund', title: 'Refund', text: 'It is sent.' })
  const { id } = await made('POST /v1/ai/vector_stores', {
    name: 'Help centre',
    description: 'Texts of the help centre',
  })
  await made(`POST /v1/ai/vector_stores/${id}/files`, { content: 'Refunds take five days.', filename: 'refunds.md' })
  await made('POST /v1/erp/reconcilers', { name: 'OpenRefine' })
  await channels.insert(db, {
    ...{ ...bot, id: newId(), kind: 'email', number_id: null, route_id: newId(), from_email: null, from_name: null },
    ...{ silence_hours: 24, hourly_limit: 20, unreadable_reply: 'Please write a text.', handover_reply: null },
  })
}
