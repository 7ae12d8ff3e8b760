import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { mask } from '#lib/mask.ts'
import * as jobs from '#sql/work/jobs.ts'
import * as rows from '#sql/work/schedules.ts'
import { listNextRuns } from '#tasks/work/rules/schedules/next-run.ts'
import { readStoredJob } from '#tasks/work/rules/schedules/schedule-job.ts'
import { Instant } from '../http/instant.ts'
import { JobItem, presentItem } from './present.ts'
import { Missed } from './schedule-fields.ts'

/** Number of next runs and last jobs in a response. */
export const shownRuns = 5

const Template = z
  .object({
    url: z.string(),
    method: z.enum(jobs.methods),
    headers: z.record(z.string(), z.string()).describe('Names of the headers, with masked values'),
    body: z.unknown().describe('Body of the request. `null` if there is none.'),
    retries: jobs.Retries.nullable().describe('`null` for the default'),
    timeout: z.number().nullable().describe('Seconds'),
    concurrency: z.object({ key: z.string(), limit: z.int() }).nullable(),
    rate: z.object({ key: z.string(), limit: z.int(), per: z.enum(jobs.ratePeriods) }).nullable(),
    group: z.string().nullable(),
  })
  .meta({ id: 'jobs.ScheduledJob' })

export const ScheduleItem = z
  .object({
    id: Id,
    name: z.string(),
    state: rows.table.Row.shape.state.describe('`ended` schedules have no further run.'),
    cron: z.string().nullable(),
    time_zone: z.string(),
    every: z.int().nullable().describe('Interval in seconds'),
    missed: Missed,
    starts_at: Instant.nullable(),
    ends_at: Instant.nullable(),
    job: Template,
    next_run_at: Instant.nullable().describe('`null` if the schedule is paused or has ended'),
    last_run_at: Instant.nullable().describe('Scheduled time of the last run that created a job'),
    last_error: z
      .object({ at: Instant, code: z.string(), message: z.string() })
      .nullable()
      .describe('Reason why a later run created no job'),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: 'jobs.ScheduleItem' })

export const Schedule = ScheduleItem.extend({
  next_runs: z.array(Instant).describe('Next 5 runs. For a paused schedule, those after it is resumed.'),
  last_jobs: z.array(JobItem).describe('Last 5 jobs, newest first. List all with `origin_id`.'),
}).meta({ id: 'jobs.Schedule' })

export const presentSchedule = (row: rows.Schedule): z.input<typeof ScheduleItem> => ({
  id: row.id,
  name: row.name,
  state: row.state,
  cron: row.cron,
  time_zone: row.time_zone,
  every: row.every_seconds,
  missed: row.missed,
  starts_at: row.starts_at,
  ends_at: row.ends_at,
  job: presentTemplate(row),
  next_run_at: row.next_run_at,
  last_run_at: row.last_run_at,
  last_error: row.last_error,
  created_at: row.created_at,
  updated_at: row.updated_at,
})

export function presentWhole(row: rows.Schedule, last: readonly jobs.Listed[]): z.input<typeof Schedule> {
  return { ...presentSchedule(row), next_runs: listShown(row), last_jobs: last.map(presentItem) }
}

/** Empty for a schedule that can no longer be read. It is paused, with the reason in `last_error`. */
function listShown(row: rows.Schedule): Date[] {
  if (row.state === 'ended') return []
  try {
    if (row.next_run_at === null) return listNextRuns(row, new Date(), shownRuns)
    return [row.next_run_at, ...listNextRuns(row, row.next_run_at, shownRuns - 1)]
  } catch {
    return []
  }
}

function presentTemplate(row: rows.Schedule): z.input<typeof Template> {
  const { url, method = 'POST', header_names, body, retries, timeoutMs, ...limits } = readStoredJob(row)
  return {
    ...{ url, method },
    headers: Object.fromEntries(header_names.map((name) => [name, mask])),
    body: body === undefined ? null : body.type === 'json' ? JSON.parse(body.text) : body.text,
    retries: retries ?? null,
    timeout: timeoutMs === undefined ? null : timeoutMs / 1_000,
    concurrency: limits.concurrency ?? null,
    rate: limits.rate ?? null,
    group: limits.group ?? null,
  }
}
