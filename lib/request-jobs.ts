/** The jobs that a request adds while it is served. */
export interface CollectedJobs extends Disposable {
  readonly jobs: readonly string[]
}

/** Jobs that are told of one request: one that adds thousands is found by what it made. */
const most = 20

/** Requests of one id that are being served. */
interface Served {
  jobs: string[]
  running: number
  /** Ids are the clients' choice: where several had the same at once, none is told another's jobs. */
  shared: boolean
}

/** What is being served, by the id that its jobs carry. */
const served = new Map<string, Served>()

/** Collects the jobs of a request, by the id that they carry, until it is disposed of. */
export function collectJobs(requestId: string): CollectedJobs {
  const entry = served.get(requestId) ?? { jobs: [], running: 0, shared: false }
  served.set(requestId, entry)
  entry.running++
  entry.shared ||= entry.running > 1
  return {
    get jobs() {
      return entry.shared ? [] : entry.jobs
    },
    [Symbol.dispose]() {
      if (--entry.running === 0) served.delete(requestId)
    },
  }
}

/** Notes a job under the request that it carries, if that is being served here. */
export function noteJob(requestId: string | undefined, job: string): void {
  const entry = requestId === undefined ? undefined : served.get(requestId)
  if (entry && entry.jobs.length < most) entry.jobs.push(job)
}
