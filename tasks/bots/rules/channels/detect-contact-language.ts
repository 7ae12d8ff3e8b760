import { detectLanguage } from '#lib/language/detect.ts'
import * as channelMessages from '#sql/bots/channel-messages.ts'
import * as channels from '#sql/bots/channels.ts'
import type { Db } from '#sql/db.ts'
import { readSaid } from './read-said.ts'

/** Maximum time in milliseconds. A text takes 0.03 ms, and the first text of a process 0.2 s (measured). */
const mostMs = 10_000

/**
 * Returns the language of the oldest waiting message of a contact. `null` if none waits, or if the language is not clear.
 * Runs outside the transaction that handles the message, because the first detection of a process loads its data.
 */
export async function detectContactLanguage(db: Db, channelId: string, contact: string): Promise<string | null> {
  const waiting = await channelMessages.findWaiting(db, channelId, contact)
  const [channel] = waiting ? await channels.findMany(db, [channelId]) : []
  const read = waiting && channel && (await readSaid(db, channel, waiting))
  const said = read?.(true)
  if (!said?.readable) return null
  return await detectLanguage(said.content, AbortSignal.timeout(mostMs)).catch(() => null)
}
