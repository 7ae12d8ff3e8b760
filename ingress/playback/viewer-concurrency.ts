import type { Problem } from '#lib/errors.ts'
import type { Db } from '#sql/db.ts'
import * as sessions from '#sql/playback/sessions.ts'
import { problem } from '../http/problem-kinds.ts'

export const viewerConcurrencyReached = problem(
  409,
  'viewer_concurrency_reached',
  'The viewer already has `maxConcurrent` sessions.',
)

/**
 * Counts the sessions of each viewer, including sessions of the same transaction. The returned function reserves a
 * session or returns the reason for a rejection.
 */
export async function countViewerSessions(
  tx: Db,
  calls: readonly {
    org: { id: string }
    body: { viewerId?: string | undefined; maxConcurrent?: number | undefined }
  }[],
): Promise<(session: sessions.NewSession) => Problem | undefined> {
  const viewers = calls.flatMap(({ org, body }) =>
    body.viewerId && body.maxConcurrent ? [{ org_id: org.id, viewer_id: body.viewerId }] : [],
  )
  const active = new Map(viewers.length > 0 ? await sessions.lockActive(tx, viewers) : [])
  return ({ org_id, viewer_id, max_concurrent: max }) => {
    if (viewer_id === null) return
    const name = sessions.getViewerKey({ org_id, viewer_id })
    const had = active.get(name) ?? 0
    if (max !== null && had >= max) {
      return viewerConcurrencyReached(`The viewer has ${had} sessions. The maximum is ${max}.`, {
        active: had,
        max,
      })
    }
    active.set(name, had + 1)
  }
}
