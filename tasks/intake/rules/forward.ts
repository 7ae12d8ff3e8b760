import type { Seal } from '#lib/seal.ts'
import type { Db } from '#sql/db.ts'
import type * as requests from '#sql/intake/requests.ts'
import type * as sources from '#sql/intake/sources.ts'
import { createJobsOf } from '../../work/rules/create-jobs.ts'
import type { NewJob } from '../../work/rules/new-job.ts'
import { openHeaders } from './source-secrets.ts'

export type Forwarded = Pick<requests.Request, 'id' | 'org_id' | 'source_id' | 'headers' | 'content_type'> & {
  received_at?: Date
}

/** Creates a job for each request. The worker reads the body from the request, so that it is stored only once. */
export async function forwardRequests(
  tx: Db,
  forwarded: readonly Forwarded[],
  bySource: ReadonlyMap<string, sources.Source>,
  { seal, replayId }: { seal: Seal; replayId?: string },
): Promise<readonly string[]> {
  const opened = new Map([...bySource].map(([id, source]) => [id, openHeaders(seal, source)]))
  const wanted = forwarded.flatMap((request) => {
    const source = bySource.get(request.source_id)
    const job = source?.forward && toJob(request, source.forward, opened.get(source.id) ?? {})
    if (!job) return []
    const dedupeKey = replayId === undefined ? undefined : `intake ${replayId} ${request.id}`
    return [{ orgId: request.org_id, job: { ...job, dedupeKey } }]
  })
  return (await createJobsOf(tx, wanted)).map(({ id }) => id)
}

/** Headers that the job sets itself, or that could be mistaken for its own. */
const replaced = /^(user-agent|content-encoding|millrace-.*)$/

/** Standard Webhooks headers of the provider. The job is signed with headers of the same names. */
const renamed = /^webhook-(id|timestamp|signature)$/

function headersOf({ id, source_id, headers, received_at = new Date() }: Forwarded, own: Record<string, string>) {
  const passed = Object.entries(headers).flatMap(([name, value]) => {
    if (replaced.test(name) || !isSendable(value)) return []
    return [[renamed.test(name) ? `original-${name}` : name, value] as const]
  })
  return {
    ...Object.fromEntries(passed),
    ...Object.fromEntries(Object.entries(own).map(([name, value]) => [name.toLowerCase(), value])),
    'millrace-source': source_id,
    'millrace-request-id': id,
    'millrace-received-at': received_at.toISOString(),
  }
}

/** True if a value can be sent as a header: visible Latin-1 characters, spaces and tabs. */
const isSendable = (value: string): boolean => /^[\t\x20-\x7e\x80-\xff]*$/.test(value)

function toJob(request: Forwarded, forward: sources.Forward, own: Record<string, string>): NewJob {
  return {
    ...forward,
    headers: headersOf(request, own),
    origin: { kind: 'source', id: request.id },
  }
}
