import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { lease } from '../jobs/lease.ts'
import { days } from '../retention.ts'
import { defineTable, getColumns } from '../table.ts'

export const table = defineTable(
  'video',
  'speech_engines',
  z.object({
    worker_id: Id,
    engine: z.string(),
    languages: z.array(z.string()),
    detects: z.boolean(),
    announced_at: z.date(),
  }),
  {
    retention: days(1, 'announced_at', {
      which: 'of workers that have ended, except the last one',
      where: sql.fragment`not ${lease(sql.fragment`old.worker_id`)}
        and exists (select from video.speech_engines as newer where newer.announced_at > old.announced_at)`,
    }),
  },
)

const Engine = table.Row.pick({ engine: true, languages: true, detects: true })

/** Speech engine of the media workers. `detects` is true if the engine can detect the spoken language. */
export type Engine = z.infer<typeof Engine>

type Announcement = Omit<Engine, 'languages'> & { languages: readonly string[] }

export async function announce(db: Db, workerId: string, { engine, languages, detects }: Announcement): Promise<void> {
  await db.query(sql.typeAlias('void')`
    insert into video.speech_engines (worker_id, engine, languages, detects)
    values (${workerId}, ${engine}, ${sql.array([...languages], 'text')}, ${detects})
    on conflict (worker_id) do update set engine = excluded.engine, languages = excluded.languages,
      detects = excluded.detects, announced_at = now()`)
}

/** Returns the engines of the running workers, newest first, or the last announced engine if no worker runs. */
export async function listCurrent(db: Db): Promise<readonly Engine[]> {
  return await db.any(sql.type(Engine)`
    with known as (
      select ${getColumns(Engine, 'e')}, e.announced_at, ${lease(sql.fragment`e.worker_id`)} as runs
      from video.speech_engines as e)
    select engine, languages, detects from known
    where runs or (not exists (select from known where runs) and announced_at = (select max(announced_at) from known))
    order by announced_at desc`)
}
