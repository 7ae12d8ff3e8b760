import type { QueryConfig } from 'pg'

/** A job's row, as a fetch returns it and the queue library hands it to its task. */
export type HeldJob = object & { id: string }

/** The queue library's prepared statements that end its hold on jobs, and where their values have the jobs' ids. */
const endings: readonly { name: RegExp; ids(values: readonly unknown[]): unknown[] }[] = [
  { name: /^complete_job\//, ids: ([id]) => [id] },
  { name: /^complete_jobs\/|^complete_job_q\/|^fail_jobs\//, ids: ([ids]) => ids as unknown[] },
  { name: /^return_job(_q)?\//, ids: ([, ids]) => ids as unknown[] },
  {
    name: /^fail_job(_q)?\//,
    ids: ([, failed]) => (JSON.parse(failed as string) as { jobId: unknown }[]).map(({ jobId }) => jobId),
  },
]

/** The jobs that the queue library has fetched and not ended, by what it asked of the database. */
export class HeldJobs {
  readonly #held = new Map<string, HeldJob>()
  #stale = new WeakSet<HeldJob>()

  /** Notes what a fetch returned. */
  fetched(rows: readonly HeldJob[]): void {
    for (const row of rows) this.#held.set(String(row.id), row)
  }

  /** Notes what a statement has ended; whether it is one that ends jobs. */
  answered({ name, values = [] }: QueryConfig): boolean {
    const ending = name === undefined ? undefined : endings.find((each) => each.name.test(name))
    for (const id of ending?.ids(values) ?? []) this.#held.delete(String(id))
    return ending !== undefined
  }

  get ids(): string[] {
    return [...this.#held.keys()]
  }

  /** None of them is this worker's any more. */
  disown(): void {
    for (const job of this.#held.values()) this.#stale.add(job)
    this.#held.clear()
  }

  /** Whether a job was fetched before they were last disowned. */
  isStale(job: object): boolean {
    return this.#stale.has(job as HeldJob)
  }
}
