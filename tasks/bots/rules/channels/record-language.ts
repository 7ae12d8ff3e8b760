import { detectLanguage } from '#lib/language/detect.ts'
import * as conversations from '#sql/bots/conversations.ts'
import type { Db } from '#sql/db.ts'

/** Maximum time in milliseconds. A text takes 0.03 ms, and the first one of a process 0.2 s (measured). */
const mostMs = 1_000

/**
 * Stores the language of a contact’s message, if it is clear and none is stored. Notices and canned replies use it. The
 * caller must hold the lock of the conversation.
 */
export async function recordLanguage(
  tx: Db,
  { id, language }: Pick<conversations.Conversation, 'id' | 'language'>,
  text: string,
): Promise<void> {
  if (language !== null) return
  const detected = await detectLanguage(text, AbortSignal.timeout(mostMs)).catch(() => null)
  if (detected !== null) await conversations.setLanguage(tx, id, detected)
}
