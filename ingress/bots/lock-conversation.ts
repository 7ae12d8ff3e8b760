import * as bots from '#sql/bots/bots.ts'
import * as conversations from '#sql/bots/conversations.ts'
import type { Db } from '#sql/db.ts'
import { mustFind } from '../http/must-find.ts'
import { pathId } from '../http/request/validate.ts'
import { botParams } from './fields.ts'

export const ofConversation = botParams.extend({ conversationId: pathId('conversation') })

export interface NamedConversation {
  org: { id: string }
  /** Always `null` for a call from a visitor. Visitors cannot access conversations of users. */
  userId?: null
  params: { botId: string; conversationId: string }
}

/** Returns the locked conversation of a call. Throws 404 if it belongs to another organisation. */
export async function lockConversation(
  tx: Db,
  { org, params: { botId, conversationId: id }, userId }: NamedConversation,
): Promise<conversations.Conversation> {
  await mustFind(bots.findKnown(tx, org.id, botId), 'bot')
  return await mustFind(conversations.lock(tx, { orgId: org.id, botId, id, userId }), 'conversation')
}

/** Returns the conversation of a call. Throws 404 if it belongs to another organisation. */
export async function findConversation(
  db: Db,
  { org, params: { botId, conversationId: id }, userId }: NamedConversation,
): Promise<conversations.Conversation> {
  return await mustFind(conversations.find(db, { orgId: org.id, botId, id, userId }), 'conversation')
}
