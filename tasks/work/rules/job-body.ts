import type { Db } from '#sql/db.ts'
import * as requests from '#sql/intake/requests.ts'
import type { Begun } from '#sql/work/turns.ts'

export type JobBody = string | Buffer | null

/**
 * Returns the body of a job’s request. The body of a received webhook is stored only with the webhook. Undefined if the
 * webhook was deleted.
 */
export async function readJobBody(
  db: Db,
  { body, org_id, origin_kind, origin_id }: Pick<Begun, 'body' | 'org_id' | 'origin_kind' | 'origin_id'>,
): Promise<JobBody | undefined> {
  if (body !== null || origin_kind !== 'source' || origin_id === null) return body
  return (await requests.findBody(db, org_id, origin_id)) ?? undefined
}
