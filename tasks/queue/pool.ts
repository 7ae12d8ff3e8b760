/**
 * What tasks and enqueues know of a pool: a set of tasks that share workers. It has a queue schema of its own (`jobs_<pool>`), so
 * that another pool's backlog costs it nothing (measured in one shared schema: 1,700 claims/s fell to 90 beside 100,000 waiting
 * jobs). How a machine works for it is declared in `workers/<pool>/index.ts`.
 */
export interface Pool<Name extends string, Lent> {
  readonly name: Name
  /**
   * Jobs fetched ahead in one statement. What is fetched ahead has had its turn decided: a job that comes later waits behind
   * up to so many of a stranger's in each worker process. 0 for tasks that take seconds; 2 to 5 times the concurrency for
   * short work that organisations can pile up; hundreds only where a job takes milliseconds.
   */
  readonly fetchAhead: number
  /** The type of the tools that it lends its tasks; never there at run time. */
  readonly lends?: Lent
}

/** Declares a pool by its tools, then its name: `pool<Tools>()('mail', { fetchAhead: 0 })`. */
export const pool =
  <Lent>() =>
  <const Name extends string>(name: Name, settings: { fetchAhead: number }): Pool<Name, Lent> => ({ name, ...settings })
