import t from 'tap'
import { z } from 'zod'
import * as plans from '#sql/account/plans.ts'
import { sql } from '#sql/db.ts'
import * as pipeline from '#sql/video/pipeline.ts'
import { testOrg } from '../support/ingress.ts'
import { videoStack } from '../support/video-stack.ts'

const room = 12
const bytes = 1_000

const stack = await videoStack(t, { areas: ['files'] })
const { ask, db } = stack
const [base] = await plans.list(db)
const plenty = { key_requests_per_minute: 100_000, key_burst: 100_000, org_requests_per_minute: 100_000 }
await plans.put(db, { ...(base as plans.Plan), ...plenty, name: 'small', storage_bytes: room * bytes })

const Bytes = z.object({ bytes: z.coerce.number() })

/** An organisation with room for so many uploads, what is kept of its total, and what its rows sum up to. */
async function scene() {
  const { org, keys } = await testOrg(db, ['stream:write', 'files:read', 'files:write'], { plan: 'small' })
  const key = keys.main
  const film = () => ask('POST /v1/stream/uploads', { key, body: { bytes } })
  const facts = { product_key: 'p', tenant_id: 't', filename: 'a.txt', content_type: 'text/plain', byte_size: bytes }
  const file = () => ask('POST /v1/files/uploads', { key, body: facts })
  const kept = () => db.oneFirst(sql.type(Bytes)`select bytes from account.storage where org_id = ${org.id}`)
  const summed = () =>
    db.oneFirst(sql.type(Bytes)`
      select (select coalesce(sum(bytes), 0) from video.assets
          where org_id = ${org.id} and status not in ('aborted', 'failed', 'deleted'))
        + (select coalesce(sum(byte_size), 0) from files.objects
          where org_id = ${org.id} and deleted_at is null and place <> 'gone') as bytes`)
  return { org, key, film, file, kept, summed }
}

t.test('uploads of both areas at once take all that is left and not a byte more', async (t) => {
  const { key, film, file, kept, summed } = await scene()
  const tried = await Promise.all(Array.from({ length: 3 * room }, (_, i) => (i % 2 ? film() : file())))
  const taken = tried.filter(({ status }) => status < 300)
  t.equal(taken.length, room)
  for (const { status, body } of tried.filter((reply) => !taken.includes(reply)))
    t.match(
      { status, code: body.error.code, details: body.error.details },
      { status: 400, code: 'plan_limit_exceeded', details: { limit: 'storage_bytes' } },
    )
  t.equal(await kept(), room * bytes)
  t.equal(await summed(), room * bytes)

  // All at once: aborts and deletions, each asked for twice, beside uploads that may or may not find room.
  const again = taken.flatMap(({ body }) => {
    const request = body.uploadId
      ? `DELETE /v1/stream/uploads/${body.uploadId}`
      : `DELETE /v1/files/objects/${body.object_id}`
    return [ask(request, { key }), ask(request, { key }), film(), file()]
  })
  await Promise.all(again)
  t.equal(await kept(), await summed())
  for (let left = room - (await kept()) / bytes; left > 0; left--) t.ok((await film()).status < 300)
  t.equal((await file()).status, 400)
  t.equal(await kept(), room * bytes)
})

t.test('a failure frees what was stored, and a revival takes it again', async (t) => {
  const { org, film, kept, summed } = await scene()
  const { assetId } = (await film()).body
  await pipeline.begin(db, assetId)
  t.equal(await kept(), bytes)
  await pipeline.fail(db, assetId, 'internal', 'x')
  t.equal(await kept(), 0)
  await pipeline.revive(db, assetId)
  t.equal(await kept(), bytes)
  t.equal(await summed(), bytes)
  await db.query(sql.typeAlias('void')`delete from account.orgs where id = ${org.id}`)
  t.notOk(await db.exists(sql.typeAlias('void')`select from account.storage where org_id = ${org.id}`))
})
