import { z } from 'zod'
import { methods, Retries, ratePeriods } from '#sql/work/jobs.ts'
import type { Schedule } from '#sql/work/schedules.ts'
import type { NewJob } from '../new-job.ts'
import { openHeaders, sealHeaders } from '../secrets.ts'

/** Job of a schedule as it is stored. */
const StoredJob = z.object({
  url: z.string(),
  method: z.enum(methods).optional(),
  header_names: z.array(z.string()).default([]),
  body: z.object({ text: z.string(), type: z.enum(['json', 'text']) }).optional(),
  retries: Retries.optional(),
  timeoutMs: z.number().optional(),
  concurrency: z.object({ key: z.string(), limit: z.number() }).optional(),
  rate: z.object({ key: z.string(), limit: z.number(), per: z.enum(ratePeriods) }).optional(),
  group: z.string().optional(),
})

export type StoredJob = z.output<typeof StoredJob>

/** Returns the columns of a job, with sealed headers. */
export function sealJob(scheduleId: string, { headers = {}, ...job }: NewJob): Pick<Schedule, 'job' | 'headers'> {
  const names = Object.keys(headers)
  return {
    job: { ...job, header_names: names },
    headers: names.length === 0 ? null : sealHeaders(headers, scheduleId),
  }
}

export const readStoredJob = ({ job }: Pick<Schedule, 'job'>): StoredJob => StoredJob.parse(job)

/** Returns the job that a run of the schedule creates. */
export function openJob(schedule: Pick<Schedule, 'id' | 'job' | 'headers'>): NewJob {
  const { header_names: _, ...job } = readStoredJob(schedule)
  const { headers } = schedule
  return {
    ...job,
    headers: headers === null ? {} : openHeaders(headers, schedule.id),
    origin: { kind: 'schedule', id: schedule.id },
  }
}
