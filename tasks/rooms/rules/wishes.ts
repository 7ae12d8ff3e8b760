import type { z } from 'zod'
import type { Kind, Participant, Role } from '#sql/rooms/participants.ts'
import type { RequestedChange } from '../engine.ts'

export type ConnectionOutcome =
  | { out: 'kicked' | 'replaced' | 'connection_lost' }
  | { out: undefined; role: z.infer<typeof Role>; mutes: readonly z.infer<typeof Kind>[] }

/**
 * Returns the result of the requested changes for a connection. If the database does not contain the connection, it is
 * closed: another connection of the participant replaced it, or the client must reconnect.
 */
export function resolveRequests(
  { connection_id, participant_id }: Participant,
  wishes: readonly RequestedChange[],
): ConnectionOutcome {
  const wish = wishes.find((one) => one.connection_id === connection_id)
  if (!wish) {
    const isReplaced = wishes.some((one) => one.participant_id === participant_id)
    return { out: isReplaced ? 'replaced' : 'connection_lost' }
  }
  return wish.kicked_at ? { out: 'kicked' } : { out: undefined, role: wish.role, mutes: wish.mute_requested }
}
