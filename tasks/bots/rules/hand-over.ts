import { newId } from '#lib/ids.ts'
import * as handovers from '#sql/bots/handovers.ts'
import type { Db } from '#sql/db.ts'
import { emit } from '../../webhooks/rules/emit.ts'

type Handed = Pick<handovers.Handover, 'conversation_id' | 'org_id' | 'bot_id' | 'reason' | 'last_message'>

/**
 * Starts a handover and sends its webhook once. Returns `null` if a handover is already in progress. The caller must
 * hold the lock of the conversation.
 */
export async function handOver(
  tx: Db,
  { note = null, ...handed }: Handed & { note?: string | null },
): Promise<handovers.Handover | null> {
  const handover = await handovers.insert(tx, { ...handed, note, id: newId() })
  if (handover) {
    const { conversation_id, bot_id, reason } = handover
    await emit(tx, handover.org_id, 'bots.conversation.handed_over', { conversation_id, bot_id, reason })
  }
  return handover
}
