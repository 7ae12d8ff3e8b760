import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { days } from '../retention.ts'
import { defineTable } from '../table.ts'

export const NamedModel = z.object({ asked: z.string(), real: z.string() })

export type NamedModel = z.infer<typeof NamedModel>

export const table = defineTable(
  'ai',
  'upstreams',
  z.object({
    worker_id: Id,
    name: z.string(),
    place: z.number(),
    models: z.array(NamedModel),
    embedding_models: z.array(NamedModel),
    rerank_models: z.array(NamedModel),
    state: z.enum(['unknown', 'up', 'failing', 'resting']),
    requests: z.number(),
    failures: z.number(),
    last_ok_at: z.date().nullable(),
    last_failed_at: z.date().nullable(),
    last_status: z.number().nullable(),
    seen_at: z.date(),
  }),
  { retention: days(1, 'seen_at') },
)

export type KnownUpstream = Omit<z.infer<typeof table.Row>, 'worker_id' | 'seen_at'>

export async function saveStatus(db: Db, workerId: string, known: readonly KnownUpstream[]): Promise<void> {
  await db.query(sql.typeAlias('void')`
    insert into ai.upstreams (worker_id, name, place, models, embedding_models, rerank_models, state, requests, failures,
      last_ok_at, last_failed_at, last_status)
    select ${workerId}::uuid, k.name, k.place, k.models, k.embedding_models, k.rerank_models, k.state, k.requests, k.failures,
      k.last_ok_at, k.last_failed_at, k.last_status
    from json_populate_recordset(null::ai.upstreams, ${JSON.stringify(known)}::json) as k
    on conflict (worker_id, name) do update set place = excluded.place, models = excluded.models,
      embedding_models = excluded.embedding_models, rerank_models = excluded.rerank_models, state = excluded.state, requests = excluded.requests,
      failures = excluded.failures, last_ok_at = excluded.last_ok_at, last_failed_at = excluded.last_failed_at,
      last_status = excluded.last_status, seen_at = now()`)
}

export async function removeOfWorker(db: Db, workerId: string): Promise<void> {
  await db.query(sql.typeAlias('void')`delete from ai.upstreams where worker_id = ${workerId}`)
}

/** Workers write every 15 seconds. The interval allows for a worker that restarts. */
const isCurrent = sql.fragment`seen_at > now() - interval '5 minutes'`

const Shown = table.Row.pick({
  name: true,
  models: true,
  embedding_models: true,
  rerank_models: true,
  place: true,
}).extend({
  workers: z.number(),
  states: z.array(table.Row.shape.state),
  requests: z.number(),
  failures: z.number(),
  last_ok_at: z.date().nullable(),
  last_failed_at: z.date().nullable(),
  last_status: z.number().nullable(),
})

export type ShownUpstream = z.infer<typeof Shown>

export async function list(db: Db): Promise<readonly ShownUpstream[]> {
  return await db.any(sql.type(Shown)`
    select name, min(place) as place, (array_agg(models order by seen_at desc))[1] as models,
      (array_agg(embedding_models order by seen_at desc))[1] as embedding_models,
      (array_agg(rerank_models order by seen_at desc))[1] as rerank_models, count(*) as workers,
      array_agg(distinct state) as states, sum(requests)::float8 as requests, sum(failures)::float8 as failures,
      max(last_ok_at) as last_ok_at, max(last_failed_at) as last_failed_at,
      (array_agg(last_status order by last_failed_at desc nulls last))[1] as last_status
    from ai.upstreams where ${isCurrent} group by name order by place, name`)
}
