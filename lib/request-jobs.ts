/** The jobs that a request adds while it is served. */
export interface CollectedJobs extends Disposable {
  readonly jobs: readonly string[]
}

/** Jobs that are told of one request: one that adds thousands is found by what it made. */
const most = 20

/** Those that are being served, by the id that their jobs carry; null where several have the same, so that none is told another's. */
const served = new Map<string, { jobs: string[]; requests: number }>()

/** Collects the jobs of a request, by the id that they carry, until it is disposed of. */
export function collectJobs(requestId: string): CollectedJobs {
  const entry = served.get(requestId) ?? { jobs: [], requests: 0 }
  served.set(requestId, entry)
  entry.requests++
  const shared = entry.requests > 1
  return {
    get jobs() {
      return shared || entry.requests > 1 ? [] : entry.jobs
    },
    [Symbol.dispose]() {
      served.delete(requestId)
    },
  }
}

/** Notes a job under the request that it carries, if that is being served here. */
export function noteJob(requestId: string | undefined, job: string): void {
  const entry = requestId === undefined ? undefined : served.get(requestId)
  if (entry && entry.jobs.length < most) entry.jobs.push(job)
}
