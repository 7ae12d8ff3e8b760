import { newId } from '#lib/ids.ts'
import * as bots from '#sql/bots/bots.ts'
import * as labels from '#sql/bots/conversation-labels.ts'
import * as conversations from '#sql/bots/conversations.ts'
import * as handovers from '#sql/bots/handovers.ts'
import * as hours from '#sql/bots/hours.ts'
import * as messages from '#sql/bots/messages.ts'
import type { Db } from '#sql/db.ts'
import { emit } from '../../webhooks/rules/emit.ts'
import { chooseLanguage, writeAbsenceNotice } from './absence-notice.ts'
import { type Availability, getAvailability } from './office-hours.ts'

type Handed = Pick<handovers.Handover, 'conversation_id' | 'org_id' | 'bot_id' | 'reason' | 'last_message'>

/**
 * Starts a handover and sends its webhook once. Returns `null` if a handover is already in progress. Outside office
 * hours, the bot says when people are back. The caller must hold the lock of the conversation, and the numbers of its
 * messages must be final.
 */
export async function handOver(
  tx: Db,
  { note = null, ...handed }: Handed & { note?: string | null },
): Promise<handovers.Handover | null> {
  const opening = await hours.find(tx, handed.bot_id)
  const availability = getAvailability(opening, Date.now())
  const { available } = availability
  const handover = await handovers.insert(tx, { ...handed, note, id: newId(), after_hours: !available })
  if (!handover) return null
  const { id, conversation_id, bot_id, reason, org_id } = handover
  await labels.setHandover(tx, conversation_id, id)
  if (opening && !available) await announceAbsence(tx, handover, opening.time_zone, availability)
  await emit(tx, org_id, 'bots.conversation.handed_over', { conversation_id, bot_id, reason, available })
  return handover
}

/** Adds the bot’s message that nobody is available, in the language of the visitor or else of the bot. */
async function announceAbsence(
  tx: Db,
  { conversation_id, org_id, bot_id }: handovers.Handover,
  timeZone: string,
  { next_open_at }: Availability,
): Promise<void> {
  const { last_seq: seq, language } = await conversations.reserveReply(tx, conversation_id)
  const languages = await bots.listLanguages(tx, bot_id)
  const content = writeAbsenceNotice({ language: chooseLanguage([language, ...languages]), timeZone }, next_open_at)
  await messages.insertReply(tx, { id: newId(), org_id, bot_id, conversation_id, seq, content, author: null })
}
