import { Id, newId } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as messages from '#sql/sms/messages.ts'
import type * as providers from '#sql/sms/providers.ts'
import * as settings from '#sql/sms/settings.ts'
import * as statuses from '#sql/sms/statuses.ts'
import { emitMany } from '../../webhooks/rules/emit.ts'
import { acceptMessages } from './accept-messages.ts'
import type { ReportedStatus, ReportedText } from './callback.ts'
import { addOptOut, liftOptOuts } from './change-opt-outs.ts'
import { toReportedError } from './error-table.ts'
import { findKeyword, type Keyword } from './keywords.ts'
import { recordStatuses } from './record-statuses.ts'
import { countSegments } from './segments.ts'

type Owner = Pick<providers.Provider, 'id' | 'org_id'>

/** Maximum number of characters of a received text. */
const maxText = 2_000

/** Stores a reported status. Reports can be repeated and arrive in any order, also before the response to the request. */
export async function recordReport(tx: Db, provider: Owner, told: ReportedStatus): Promise<void> {
  const id = Id.safeParse(told.id).data
  const { status, code } = told
  const message = await statuses.findReported(tx, provider.id, { id, providerMessageId: told.providerMessageId })
  if (!message) return
  const error = status === 'undelivered' || status === 'failed' ? toReportedError(code) : null
  const providerMessageId = told.providerMessageId ?? null
  if (providerMessageId !== null) await statuses.saveProviderId(tx, message.id, providerMessageId)
  await recordStatuses(tx, [{ id: message.id, status, at: new Date(), error }])
  if (error?.code !== 'recipient_opted_out') return
  const { org_id, phone, sender } = message
  await addOptOut(tx, { org_id, phone, sender: sender ?? '', source: 'provider', keyword: null })
}

/** Returns a number in E.164, as people are stored. Providers leave out the `+`, or write `00` and separators. */
function toPhone(number: string): string {
  const digits = number.replace(/[ ().-]/g, '').replace(/^(\+|00)/, '')
  return /^[1-9]\d{6,14}$/.test(digits) ? `+${digits}` : number
}

/** Stores a message of a person once, and does what its keyword asks for. Returns false if the message is known. */
export async function recordText(tx: Db, { id: provider_id, org_id }: Owner, heard: ReportedText): Promise<boolean> {
  const [phone, sender] = [toPhone(heard.from), heard.to === null ? null : toPhone(heard.to)]
  const text = [...heard.text.replaceAll('\0', '')].slice(0, maxText).join('').toWellFormed()
  const keyword = findKeyword(text)
  const message: messages.NewMessage = {
    ...{ id: newId(), org_id, key_id: null, direction: 'inbound', provider_id, phone, sender, text, keyword },
    ...{ is_sensitive: false, client_reference: null, status: 'received', ...countSegments(text) },
    provider_message_id: heard.providerMessageId,
    created_at: new Date().toISOString(),
  }
  if (!(await addReceived(tx, message))) return false
  const data = { id: message.id, from: phone, to: sender, text, keyword, provider_id, received_at: message.created_at }
  await emitMany(tx, [{ orgId: org_id, type: 'sms.message.received', data }])
  if (keyword) await obey(tx, { org_id, provider_id, phone, sender }, keyword, text)
  return true
}

/** Returns false if the message is known. An ID that stands for a sent message does not make a received one known. */
async function addReceived(tx: Db, message: messages.NewMessage): Promise<boolean> {
  if ((await messages.insertMany(tx, [message])).length > 0) return true
  const { provider_id, provider_message_id } = message
  if (!(await messages.isOfSent(tx, provider_id, provider_message_id))) return false
  return (await messages.insertMany(tx, [{ ...message, provider_message_id: null }])).length > 0
}

interface Conversation {
  org_id: string
  provider_id: string
  phone: string
  sender: string | null
}

/** Changes the opt-out that a keyword asks for, and sends the organisation’s answer, if one is due. */
async function obey(tx: Db, talk: Conversation, keyword: Keyword, text: string): Promise<void> {
  const { org_id, phone, sender } = talk
  const { stop_scope, ...answers } = await settings.find(tx, org_id)
  if (keyword === 'stop') {
    const scope = stop_scope === 'sender' && sender !== null ? sender : ''
    await addOptOut(tx, { org_id, phone, sender: scope, source: 'keyword', keyword: text.trim().slice(0, 40) })
  }
  if (keyword === 'start') await liftOptOuts(tx, { org_id, phone, sender: sender ?? '' })
  const answer = answers[`${keyword}_text`]
  if (answer === null || (await messages.isAnswered(tx, { org_id, phone, keyword }))) return
  await acceptMessages(tx, [{ ...talk, text: answer, keyword }])
}
