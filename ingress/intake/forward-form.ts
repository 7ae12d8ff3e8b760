import { z } from 'zod'
import type { Forward } from '#sql/intake/sources.ts'
import { jobFields, toNewJob } from '../jobs/job-fields.ts'

const { url, headers, retries, timeout, concurrency, rate, group } = jobFields

/** How requests are forwarded: the fields of a job, except its method and body. */
export const ForwardForm = z.strictObject({ url, headers, retries, timeout, concurrency, rate, group })

export type ForwardForm = z.output<typeof ForwardForm>

/** Returns the stored part of a form: a job without its headers. */
export function toForward({ headers: _, ...form }: ForwardForm): Forward {
  const { url, retries, timeoutMs, concurrency, rate, group } = toNewJob({ ...form, method: 'POST' })
  return { url, retries, timeoutMs, concurrency, rate, group } as Forward
}
