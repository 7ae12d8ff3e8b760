import t from 'tap'
import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import * as assets from '#sql/video/assets.ts'
import * as parts from '#sql/video/parts.ts'
import * as pipeline from '#sql/video/pipeline.ts'
import { enqueue, enqueueMany } from '#tasks/queue/enqueue.ts'
import { encodeChunk } from '#tasks/video/encode-chunk.ts'
import { probe } from '#tasks/video/probe.ts'
import { videoStack } from '../support/video-stack.ts'

const films = 300
const chunksEach = 100

const stack = await videoStack(t)
const { ask, db, orgId } = stack

/** An asset in processing whose file is not looked at yet. */
async function uploaded(): Promise<string> {
  const facts = { title: null, external_ref: null, filename: null, mime_type: null, watermark: null, bytes: 1 }
  const { id } = await assets.insert(db, { id: newId(), org_id: orgId, ...facts, profile: 'standard_vod' })
  await pipeline.begin(db, id)
  return id
}

t.test(`reading and listing assets takes no longer beside ${films * chunksEach} waiting chunks`, async (t) => {
  const ids: string[] = []
  for (let i = 0; i < films; i++) ids.push(await uploaded())
  const chunks = Array.from({ length: chunksEach }, (_, number) => ({ kind: 'chunk' as const, number, units: 1 }))
  for (const id of ids) {
    await parts.insertMany(db, id, chunks)
    const payloads = chunks.map(({ number }) => ({ assetId: id, number }))
    await enqueueMany(db, encodeChunk, payloads, { subject: id, orgId })
  }
  const fresh = [await uploaded(), await uploaded()]
  for (const assetId of fresh) await enqueue(db, probe, { assetId }, { subject: assetId, orgId })

  // Alone it takes some 20 ms, and tests run beside others; a look at the whole queue for each of its jobs takes a minute.
  const timed = async (path: string) => {
    const begun = performance.now()
    const reply = await ask(`GET /v1/stream/assets${path}`)
    const took = performance.now() - begun
    t.ok(took < 2_000, `${path}: ${took.toFixed(0)} ms`)
    return reply
  }
  t.equal((await timed('?limit=100')).body.data.length, 100)
  for (const [i, id] of fresh.entries())
    t.match((await timed(`/${id}`)).body, { encoding: false, queuePosition: i + 1 })
  for (const i of [0, 7, films - 1])
    t.match((await timed(`/${ids[i]}`)).body, { encoding: false, queuePosition: i + 1 })
  await db.query(
    sql.typeAlias('void')`update jobs.runs set attempt = 1, state = 'running' where subject = ${ids[7] ?? ''}`,
  )
  t.match((await timed(`/${ids[7]}`)).body, { encoding: true, queuePosition: null })
})
