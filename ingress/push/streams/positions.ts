import { config } from '#lib/config.ts'
import { describe } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import type { DatabasePool } from '#sql/db.ts'
import { touch } from '#sql/push/stream-installations.ts'
import * as streams from '#sql/push/streams.ts'

/** Maximum number of streams per statement. */
const atOnce = 2_000

/**
 * Reads the positions of streams. Requests that arrive at about the same time share one statement, because all clients
 * reconnect at the same time after a restart.
 */
export function createPositionFinder(
  db: DatabasePool,
): (opening: streams.StreamOpening) => Promise<streams.StreamPosition | undefined> {
  interface PositionRequest {
    opening: streams.StreamOpening
    answer: PromiseWithResolvers<streams.StreamPosition | undefined>
  }
  const waiting: PositionRequest[] = []
  let asking = false

  /** Records the last use of streams. If this fails, the registration counts as the last use. */
  async function noteUse(ids: readonly string[]): Promise<void> {
    await touch(db, ids).catch((error) =>
      log.debug({ err: describe(error) }, 'could not store the last use of streams'),
    )
  }

  async function ask(): Promise<void> {
    while (waiting.length > 0) {
      const asked = waiting.splice(0, atOnce)
      try {
        const openings = asked.map(({ opening }) => opening)
        const found = await streams.findPositions(db, openings, config.PUSH_HISTORY_DAYS)
        const byPlace = new Map(found.map((position) => [position.n, position]))
        for (const [n, { answer }] of asked.entries()) answer.resolve(byPlace.get(n))
        await noteUse(found.map(({ n }) => (asked[n] as PositionRequest).opening.installationId))
      } catch (error) {
        for (const { answer } of asked) answer.reject(error)
      }
    }
    asking = false
  }

  return async (opening) => {
    const answer = Promise.withResolvers<streams.StreamPosition | undefined>()
    waiting.push({ opening, answer })
    if (!asking) {
      asking = true
      void ask()
    }
    return await answer.promise
  }
}
