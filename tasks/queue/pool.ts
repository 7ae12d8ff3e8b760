/**
 * Properties of a pool that tasks and `enqueue` need. A pool is a set of tasks that share workers. Each pool has a
 * separate queue schema (`jobs_<pool>`), so that the backlog of another pool does not affect it. In one shared schema,
 * 1,700 claims/s fell to 90 with 100,000 waiting jobs. `workers/<pool>/index.ts` declares how a machine runs the pool.
 */
export interface Pool<Name extends string, Lent> {
  readonly name: Name
  /**
   * Jobs fetched ahead in one statement. Their order is already decided. So in each worker process, a later job waits
   * behind up to this number of jobs of another organisation.
   * - 0 for tasks that take seconds
   * - 2 to 5 times the concurrency for short work that organisations can pile up
   * - hundreds only if a job takes milliseconds
   */
  readonly fetchAhead: number
  /** Type of the tools for the pool’s tasks. Never set at run time. */
  readonly lends?: Lent
}

/** Declares a pool by its tools and its name: `pool<Tools>()('mail', { fetchAhead: 0 })`. */
export const pool =
  <Lent>() =>
  <const Name extends string>(name: Name, settings: { fetchAhead: number }): Pool<Name, Lent> => ({ name, ...settings })
