export interface CollectedJobs extends Disposable {
  readonly jobs: readonly string[]
}

const most = 20

interface Served {
  jobs: string[]
  running: number
  /**
   * True if several requests had this ID at the same time. Clients choose the ID, so no request may get the jobs of
   * another request.
   */
  shared: boolean
}

const served = new Map<string, Served>()

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

export function recordRequestJob(requestId: string | undefined, job: string): void {
  const entry = requestId === undefined ? undefined : served.get(requestId)
  if (entry && entry.jobs.length < most) entry.jobs.push(job)
}
