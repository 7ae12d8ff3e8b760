import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../../db.ts'
import { table as emailAttempts } from '../../email/delivery/attempts.ts'
import { Run } from '../../jobs/runs.ts'
import { table as pushAttempts } from '../../push/attempts.ts'
import { table as deliveries } from '../../webhooks/deliveries.ts'
import type { Request } from './requests.ts'

export const Attempt = z.object({
  attempt: z.number(),
  started_at: z.coerce.date(),
  ended_at: z.coerce.date().nullable(),
  outcome: z.string().nullable(),
})

export const Job = Run.pick({ id: true, task: true, state: true, created_at: true, finished_at: true }).extend({
  attempts: z.array(Attempt),
})

export const Failure = z.object({
  job: z.string(),
  task: z.string(),
  attempt: z.number(),
  final: z.boolean(),
  ended_at: z.date(),
})

export const Mail = emailAttempts.Row.pick({
  number: true,
  outcome: true,
  reply_class: true,
  mx_host: true,
  replies: true,
  started_at: true,
  ended_at: true,
})

export const Push = pushAttempts.Row.pick({
  number: true,
  outcome: true,
  provider_status: true,
  reason: true,
  latency_ms: true,
  created_at: true,
})

export const Webhook = deliveries.Row.pick({
  id: true,
  endpoint_id: true,
  status: true,
  attempts: true,
  attempted_at: true,
  response_status: true,
  latency_ms: true,
}).extend({ type: z.string() })

export const Thread = z.object({
  jobs: z.array(Job),
  failures: z.array(Failure),
  email: z.array(Mail),
  push: z.array(Push),
  webhooks: z.array(Webhook),
})

export type Thread = z.infer<typeof Thread>

const most = 50

export async function findThread(db: Db, { org_id, jobs, resource_id: made }: Request): Promise<Thread> {
  const runs = jobs.filter((job) => Id.safeParse(job).success)
  const untracked = jobs.filter((job) => !runs.includes(job))
  return {
    jobs: [
      ...(await db.any(sql.type(Job)`
        select r.id, r.task, r.state, r.created_at, r.finished_at, coalesce((
          select json_agg(json_build_object('attempt', a.attempt, 'started_at', a.started_at, 'ended_at', a.ended_at,
            'outcome', a.outcome) order by a.attempt)
          from jobs.attempts as a where a.run_id = r.id), '[]') as attempts
        from jobs.runs as r where r.org_id = ${org_id} and (r.id = any(${sql.array(runs, 'uuid')}) or r.subject = ${made}::uuid)
        order by r.created_at, r.id limit ${most}`)),
    ],
    failures: [
      ...(await db.any(sql.type(Failure)`
        select pool || ':' || job_id as job, task, attempt, final, ended_at from jobs.failures
        where org_id = ${org_id} and (pool, job_id) in (
          select split_part(job, ':', 1), split_part(job, ':', 2)::bigint from unnest(${sql.array(untracked, 'text')}) as job)
        order by ended_at limit ${most}`)),
    ],
    email: made ? [...(await mailOf(db, org_id, made))] : [],
    push: made ? [...(await pushesOf(db, org_id, made))] : [],
    webhooks: made ? [...(await webhooksOf(db, org_id, made))] : [],
  }
}

const mailOf = (db: Db, orgId: string, id: string) =>
  db.any(sql.type(Mail)`
    select number, outcome, reply_class, mx_host, replies, started_at, ended_at from email.attempts
    where org_id = ${orgId} and message_id = ${id} order by number, id limit ${most}`)

const pushesOf = (db: Db, orgId: string, id: string) =>
  db.any(sql.type(Push)`
    select number, outcome, provider_status, reason, latency_ms, created_at from push.attempts
    where org_id = ${orgId} and message_id = ${id} order by number, id limit ${most}`)

const webhooksOf = (db: Db, orgId: string, eventId: string) =>
  db.any(sql.type(Webhook)`
    select d.id, d.endpoint_id, e.type, d.status, d.attempts, d.attempted_at, d.response_status, d.latency_ms
    from webhooks.events as e join webhooks.deliveries as d on d.event_id = e.id
    where e.org_id = ${orgId} and e.id = ${eventId} and e.app_id is null order by d.id limit ${most}`)
