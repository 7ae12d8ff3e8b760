import { Problem, unavailable } from '../errors.ts'
import { ThreadLimitError, type ThreadLimits, threadPool } from '../threads.ts'
import type { SchemaResult, work } from './thread.ts'

/** An organisation uses one of the threads at a time, so its slow schemas do not delay others. */
const limits: ThreadLimits = {
  ...{ threads: 2, seconds: 1, megabytes: 192, waiting: 2_000 },
  ofOne: { threads: 1, waiting: 1_000 },
}

const threads = threadPool<typeof work>(new URL('./thread.ts', import.meta.url), limits)

/**
 * Checks a schema of a customer, and a value against it, in a thread. `value: null` checks only the schema. Throws 429
 * or 503 if too many checks wait.
 */
export async function checkJsonSchema(orgId: string, schema: object, value: object | null): Promise<SchemaResult> {
  const given = { schema: JSON.stringify(schema), value: value && JSON.stringify(value) }
  try {
    return await threads.run(given, undefined, orgId)
  } catch (error) {
    if (!(error instanceof ThreadLimitError)) throw error
    if (error.limit === 'share')
      throw new Problem(429, 'rate_limited', 'Too many payloads of your organisation wait for a check.', {
        retryAfter: 1,
      })
    if (error.limit === 'waiting') throw unavailable('Too many payloads wait for a check. Send the request again.')
    const issue =
      error.limit === 'time'
        ? `takes more than ${limits.seconds} s to check against the schema`
        : `needs more than ${limits.megabytes} MB of memory to check against the schema`
    return value === null ? { schemaFault: issue, faults: [] } : { schemaFault: null, faults: [{ field: '', issue }] }
  }
}
