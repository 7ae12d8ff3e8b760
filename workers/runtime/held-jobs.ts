import type { QueryConfig } from 'pg'

/** A job’s row, as returned by a fetch and passed to the task. */
export type HeldJob = object & { id: string }

/** Prepared statements of the queue library that release jobs, with the parameter that contains the job IDs. */
const endings: readonly { name: RegExp; ids(values: readonly unknown[]): unknown[] }[] = [
  { name: /^complete_job\//, ids: ([id]) => [id] },
  { name: /^complete_jobs\/|^complete_job_q\/|^fail_jobs\//, ids: ([ids]) => ids as unknown[] },
  { name: /^return_job(_q)?\//, ids: ([, ids]) => ids as unknown[] },
  {
    name: /^fail_job(_q)?\//,
    ids: ([, failed]) => (JSON.parse(failed as string) as { jobId: unknown }[]).map(({ jobId }) => jobId),
  },
]

/** Jobs that the queue library has fetched and not yet released. They are derived from the library’s statements. */
export class HeldJobs {
  readonly #held = new Map<string, HeldJob>()
  #stale = new WeakSet<HeldJob>()

  fetched(rows: readonly HeldJob[]): void {
    for (const row of rows) this.#held.set(String(row.id), row)
  }

  /** Records the jobs that a statement has released. Returns true if the statement releases jobs. */
  answered({ name, values = [] }: QueryConfig): boolean {
    const ending = name === undefined ? undefined : endings.find((each) => each.name.test(name))
    for (const id of ending?.ids(values) ?? []) this.#held.delete(String(id))
    return ending !== undefined
  }

  get ids(): string[] {
    return [...this.#held.keys()]
  }

  disown(): void {
    for (const job of this.#held.values()) this.#stale.add(job)
    this.#held.clear()
  }

  isStale(job: object): boolean {
    return this.#stale.has(job as HeldJob)
  }
}
