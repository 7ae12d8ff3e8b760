import { z } from 'zod'
import { badRequest, conflict } from '#lib/errors.ts'
import { Id, newId } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import { lockOrgLimit } from '#sql/org-limits.ts'
import * as jobs from '#sql/work/jobs.ts'
import * as rows from '#sql/work/schedules.ts'
import { call } from '#tasks/work/call.ts'
import { createJobs } from '#tasks/work/rules/create-jobs.ts'
import { demandJobUrls } from '#tasks/work/rules/job-urls.ts'
import { findNextRun, listNextRuns, type Timing } from '#tasks/work/rules/schedules/next-run.ts'
import { openJob, sealJob } from '#tasks/work/rules/schedules/schedule-job.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { removeRoute } from '../http/remove-route.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { type JobFields, toNewJob } from './job-fields.ts'
import { Job, presentJob } from './present.ts'
import { findTimingFaults, Missed, ScheduledJob, ScheduleName, timingFields, toTiming } from './schedule-fields.ts'
import { presentSchedule, presentWhole, Schedule, ScheduleItem, shownRuns } from './schedule-view.ts'

const params = z.object({ id: pathId('schedule') })

/** Maximum number of schedules of an organisation. */
const mostSchedules = 1_000

const limitReached = problem(409, 'schedule_limit', `The organisation already has ${mostSchedules} schedules.`)
const nameTaken = problem(409, 'name_taken', 'Another schedule has this name.')
const hasEnded = problem(409, 'schedule_ended', 'The schedule has no further run.')

const nameIsTaken = (name: string) => nameTaken(`A schedule already has the name ${name}. Choose another name.`)

export const create = route({
  method: 'POST',
  path: '/schedules',
  summary: 'Create a schedule',
  description: 'Creates a job at each run: by a cron expression in a time zone, or in an interval.',
  scope: 'jobs:write',
  idempotent: true,
  body: z.strictObject({
    name: ScheduleName,
    ...timingFields,
    job: ScheduledJob,
    missed: Missed.default('skip'),
    paused: z.boolean().default(false).describe('True to create the schedule without runs until you resume it'),
  }),
  example: {
    body: {
      name: 'daily-report',
      cron: '0 9 * * 1-5',
      time_zone: 'Europe/Vienna',
      job: { url: 'https://example.com/jobs/report' },
    },
  },
  status: 201,
  reply: Schedule,
  problems: [limitReached, nameTaken],
  async handle({ body: { name, job, missed, paused, ...fields }, org, db }) {
    const timing = toTiming(fields, new Date())
    demandTiming(timing)
    await demandUrl(db, org.id, job)
    await lockOrgLimit(db, org.id, 'work.schedules')
    if (await rows.isNameTaken(db, org.id, name)) throw nameIsTaken(name)
    if ((await rows.count(db, org.id)) >= mostSchedules)
      throw limitReached(`The organisation already has ${mostSchedules} schedules. Delete one first.`)
    const id = newId()
    const next = paused ? null : findNextRun(timing, new Date())
    const state = paused ? 'paused' : 'active'
    const stored = { ...sealJob(id, toNewJob(job)), missed, state, next_run_at: next } as const
    const made = await rows.insert(db, { id, org_id: org.id, name, ...timing, ...stored })
    return presentWhole(made, [])
  },
})

export const preview = route({
  method: 'POST',
  path: '/schedules/preview',
  summary: 'Preview the runs of a schedule',
  description: 'Returns the next runs of a cron expression or an interval. Nothing is created.',
  scope: 'jobs:read',
  repeatable: true,
  body: z.strictObject({
    ...timingFields,
    after: timingFields.starts_at.describe('Time after which runs are listed. Default: now.'),
    count: z.int().min(1).max(20).default(shownRuns).describe(`Number of runs. Default: ${shownRuns}.`),
  }),
  example: { body: { cron: '0 9 * * 1-5', time_zone: 'Europe/Vienna' } },
  status: 200,
  reply: z.object({ next_runs: z.array(Instant) }),
  async handle({ body: { after, count, ...fields } }) {
    const timing = toTiming(fields, new Date())
    demandTiming(timing)
    return { next_runs: listNextRuns(timing, after ? new Date(after) : new Date(), count) }
  },
})

export const list = listRoute({
  path: '/schedules',
  summary: 'List schedules, newest first',
  description: 'Returns schedules with their next run.',
  scope: 'jobs:read',
  filters: rows.filters,
  query: { state: rows.table.Row.shape.state.optional(), name: ScheduleName.optional() },
  item: ScheduleItem,
  rows: ({ org, db }, page) => rows.list(db, org.id, page),
  present: presentSchedule,
})

export const get = route({
  method: 'GET',
  path: '/schedules/{id}',
  summary: 'Read a schedule',
  description: 'Returns the schedule with its next runs and its last jobs.',
  scope: 'jobs:read',
  params,
  status: 200,
  reply: Schedule,
  problems: ['not_found'],
  handle: ({ params: { id }, org, db }) => readWhole(db, org.id, id),
})

export const update = route({
  method: 'PATCH',
  path: '/schedules/{id}',
  summary: 'Update a schedule',
  description:
    'Changes the given fields. `job` replaces the complete job. A new time applies from now on, also to an ended schedule.',
  scope: 'jobs:write',
  params,
  body: z.strictObject({
    name: ScheduleName.optional(),
    ...timingFields,
    job: ScheduledJob.optional(),
    missed: Missed.optional(),
  }),
  example: { body: { cron: '0 8 * * 1-5' } },
  status: 200,
  reply: Schedule,
  problems: ['not_found', nameTaken],
  async handle({ params: { id }, body: { name, job, missed, ...fields }, org, db }) {
    if (job) await demandUrl(db, org.id, job)
    await db.transaction(async (tx) => {
      await lockOrgLimit(tx, org.id, 'work.schedules')
      const before = await mustFind(rows.lock(tx, org.id, id), 'schedule')
      if (name !== undefined && name !== before.name && (await rows.isNameTaken(tx, org.id, name)))
        throw nameIsTaken(name)
      const timing = Object.keys(fields).length > 0 ? changeTiming(before, fields) : null
      if (timing) demandTiming(timing)
      const next = timing && before.state !== 'paused' ? toActive(timing) : {}
      await rows.update(tx, org.id, id, { name, missed, ...(job && sealJob(id, toNewJob(job))), ...timing, ...next })
    })
    return await readWhole(db, org.id, id)
  },
})

export const pause = route({
  method: 'POST',
  path: '/schedules/{id}/pause',
  summary: 'Pause a schedule',
  description: 'Stops the runs until you resume the schedule. Jobs that were already created are not affected.',
  scope: 'jobs:write',
  repeatable: true,
  params,
  status: 200,
  reply: Schedule,
  problems: ['not_found', hasEnded],
  async handle({ params: { id }, org, db }) {
    await db.transaction(async (tx) => {
      await demandRunning(tx, org.id, id)
      await rows.update(tx, org.id, id, { state: 'paused', next_run_at: null })
    })
    return await readWhole(db, org.id, id)
  },
})

export const resume = route({
  method: 'POST',
  path: '/schedules/{id}/resume',
  summary: 'Resume a paused schedule',
  description: 'Runs continue with the next one after now. Runs during the pause are not missed runs.',
  scope: 'jobs:write',
  repeatable: true,
  params,
  status: 200,
  reply: Schedule,
  problems: ['not_found', hasEnded],
  async handle({ params: { id }, org, db }) {
    await db.transaction(async (tx) => {
      const schedule = await demandRunning(tx, org.id, id)
      if (schedule.state === 'active') return
      const next = findNextRun(schedule, new Date())
      if (next === null) throw hasEnded('The schedule has no further run. Update `ends_at` first.')
      await rows.update(tx, org.id, id, { state: 'active', next_run_at: next, last_error: null })
    })
    return await readWhole(db, org.id, id)
  },
})

export const trigger = route({
  method: 'POST',
  path: '/schedules/{id}/trigger',
  summary: 'Run a schedule now',
  description:
    'Creates the job of the schedule now. The next run does not change. Also possible for a paused schedule.',
  scope: 'jobs:write',
  idempotent: true,
  enqueues: call,
  params,
  status: 201,
  reply: Job,
  problems: ['not_found', 'conflict'],
  async handle({ params: { id }, org, db }) {
    const schedule = await mustFind(rows.find(db, org.id, id), 'schedule')
    const [job] = await createJobs(db, org.id, [{ ...readJob(schedule), scheduledFor: new Date() }])
    return presentJob(job as jobs.Job)
  },
})

export const remove = removeRoute({
  path: '/schedules/{id}',
  summary: 'Delete a schedule',
  description: 'Deletes the schedule. Its jobs stay.',
  scope: 'jobs:write',
  params,
  reply: { id: Id },
  what: 'schedule',
  remove: ({ params: { id }, org, db }) => rows.remove(db, org.id, id),
})

function readJob(schedule: rows.Schedule) {
  try {
    return openJob(schedule)
  } catch {
    throw conflict('The headers of the schedule can no longer be read. Update its `job`.')
  }
}

async function readWhole(db: Db, orgId: string, id: string) {
  const schedule = await mustFind(rows.find(db, orgId, id), 'schedule')
  return presentWhole(schedule, await jobs.listOfOrigin(db, orgId, id, shownRuns))
}

function demandTiming(timing: Timing): void {
  const faults = findTimingFaults(timing).map(({ field, issue }) => ({ field: `body.${field}`, issue }))
  if (faults.length > 0) throw badRequest(faults)
}

const demandUrl = (db: Db, orgId: string, { url }: JobFields) =>
  demandJobUrls(db, orgId, [{ url, field: 'body.job.url' }])

/** Returns the timing after a change. `cron` replaces `every`, and the reverse. */
function changeTiming(before: rows.Schedule, fields: Parameters<typeof toTiming>[0]): Timing {
  const { cron, every_seconds: every, time_zone, anchor, starts_at, ends_at } = before
  const kept = {
    cron: fields.every ? null : cron,
    every: fields.cron ? null : every,
    time_zone,
    starts_at: starts_at?.toISOString(),
    ends_at: ends_at?.toISOString(),
  }
  return toTiming({ ...kept, ...fields }, anchor)
}

const toActive = (timing: Timing) =>
  ({ state: 'active', next_run_at: findNextRun(timing, new Date()), retry_at: null }) as const

async function demandRunning(tx: Db, orgId: string, id: string): Promise<rows.Schedule> {
  const schedule = await mustFind(rows.lock(tx, orgId, id), 'schedule')
  if (schedule.state === 'ended') throw hasEnded('The schedule has no further run. Update its time first.')
  return schedule
}
