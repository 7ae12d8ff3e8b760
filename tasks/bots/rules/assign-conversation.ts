import { newId } from '#lib/ids.ts'
import type { Actor } from '#sql/account/audit.ts'
import * as rows from '#sql/bots/assignments.ts'
import * as handovers from '#sql/bots/handovers.ts'
import type { Db } from '#sql/db.ts'
import { enqueue } from '../../queue/enqueue.ts'
import { emit } from '../../webhooks/rules/emit.ts'
import { mailAssignment } from '../mail-assignment.ts'

interface Assigning {
  handover: handovers.Handover
  /** Member who gets the conversation. `null` for nobody. */
  to: string | null
  by: Actor
  reason: 'assigned' | 'replied'
}

/**
 * Assigns a conversation, with an entry in its history, a webhook, and an email to the new assignee if another person
 * assigned it. Repeating an assignment changes nothing. Returns `null` if the member does not exist or cannot reply. The
 * caller must hold the lock of the conversation.
 */
export async function assignConversation(
  tx: Db,
  { handover, to, by, reason }: Assigning,
): Promise<handovers.Handover | null> {
  const { org_id, bot_id, conversation_id, assignee_id } = handover
  if (to !== null && !(await rows.lockAssignable(tx, org_id, to))) return null
  if (assignee_id === to) return handover
  const assigned = await handovers.assign(tx, conversation_id, to)
  const id = newId()
  const doer = doerOf(by)
  await rows.insert(tx, { id, org_id, conversation_id, assignee_id: to, ...doer, reason })
  const facts = { bot_id, conversation_id, assignee_id: to, previous_assignee_id: assignee_id, reason }
  await emit(tx, org_id, 'bots.conversation.assigned', facts)
  if (to !== null && doer.by_id !== to) await enqueue(tx, mailAssignment, { assignmentId: id }, { orgId: org_id })
  return assigned
}

function doerOf(by: Actor): Pick<rows.Assignment, 'by_kind' | 'by_id'> {
  if (by.kind === 'user') return { by_kind: 'member', by_id: by.id }
  return by.kind === 'key' ? { by_kind: 'key', by_id: by.id } : { by_kind: 'system', by_id: null }
}
