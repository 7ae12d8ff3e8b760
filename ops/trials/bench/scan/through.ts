import { openAsBlob } from 'node:fs'
import { basename } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { type DatabasePool, sql } from '#sql/db.ts'
import * as fleet from '#sql/jobs/fleet.ts'
import * as controls from '#tasks/jobs/rules/controls.ts'
import { queues } from '#tasks/pools.ts'
import { type Api, ask } from '../../../video-client.ts'

const target = { pool: 'scan', task: '' } as const
const actor = 'bench'

interface UploadTarget {
  object_id: string
  upload_url: string
  upload_headers: Record<string, string>
}

const Times = z.object({ open: z.number(), bad: z.number(), seconds: z.number().nullable() })

/**
 * Uploads files while scans are paused, then scans them all. Returns the seconds from the start of the first scan to
 * the end of the last. Calls `begun` when they start. Deletes the objects.
 */
export async function scanAll(
  api: Api,
  db: DatabasePool,
  paths: readonly string[],
  { type, timeout, begun }: { type: string; timeout: number; begun?: () => Promise<void> },
): Promise<number> {
  await controls.pause(db, target, { actor })
  await idle(db)
  const ids: string[] = []
  for (const path of paths) ids.push(await send(api, path, type))
  await Promise.all(ids.map((id) => ask(api, 'POST', `/v1/files/uploads/${id}/complete`, {})))
  await begun?.()
  await controls.resume(db, target, actor)
  const end = Date.now() + timeout
  for (;;) {
    const { open, bad, seconds } = await look(db, ids)
    if (bad > 0) throw new Error(`${bad} of ${ids.length} files could not be scanned, or are infected.`)
    if (open === 0) {
      for (const id of ids) await ask(api, 'DELETE', `/v1/files/objects/${id}`)
      await emptied(db)
      return seconds ?? Number.NaN
    }
    if (Date.now() > end)
      throw new Error(`After ${timeout / 1000} s, ${open} of ${ids.length} files are still waiting.`)
    await pause(200)
  }
}

async function send(api: Api, path: string, type: string): Promise<string> {
  const blob = await openAsBlob(path)
  const facts = { product_key: 'bench', tenant_id: 'bench', filename: basename(path), content_type: type }
  const upload = await ask<UploadTarget>(api, 'POST', '/v1/files/uploads', { ...facts, byte_size: blob.size })
  const answer = await fetch(upload.upload_url, { method: 'PUT', headers: upload.upload_headers, body: blob })
  if (!answer.ok) throw new Error(`PUT: ${answer.status} ${await answer.text()}`)
  return upload.object_id
}

async function look(db: DatabasePool, ids: string[]): Promise<z.infer<typeof Times>> {
  return await db.one(sql.type(Times)`
    select count(*) filter (where o.scan_status in ('pending', 'scanning'))::integer as open,
      count(*) filter (where o.scan_status in ('error', 'infected'))::integer as bad,
      extract(epoch from max(r.finished_at) - min(r.started_at))::float8 as seconds
    from files.objects as o
    left join jobs.runs as r on r.subject = o.id and r.task = 'files/scan'
    where o.id = any(${sql.array(ids, 'uuid')})`)
}

async function idle(db: DatabasePool): Promise<void> {
  for (;;) {
    const workers = await fleet.workers(db, queues, { ended: false })
    if (workers.every(({ pool, fetches }) => pool !== 'scan' || !fetches)) return
    await pause(50)
  }
}

async function emptied(db: DatabasePool): Promise<void> {
  const RemainingCount = z.object({ left: z.number() })
  const left = () =>
    db.oneFirst(sql.type(RemainingCount)`
      select count(*)::integer as left from jobs_core._private_jobs as j
      join jobs_core._private_tasks as t on t.id = j.task_id
      where t.identifier = 'files/remove' and j.run_at <= now()`)
  while ((await left()) > 0) await pause(50)
}
