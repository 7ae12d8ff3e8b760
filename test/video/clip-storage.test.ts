import t from 'tap'
import { newId } from '#lib/ids.ts'
import * as plans from '#sql/account/plans.ts'
import { sql } from '#sql/db.ts'
import * as assets from '#sql/video/assets.ts'
import { testOrg } from '../support/ingress.ts'
import { videoStack } from '../support/video-stack.ts'

const stack = await videoStack(t)
const { db } = stack

t.test('clips that are not cut yet use storage of the plan', async (t) => {
  const [base] = await plans.list(db)
  await plans.put(db, { ...(base as plans.Plan), name: 'small', storage_bytes: 1_700, key_burst: 1e9 })
  const { org, keys } = await testOrg(db, ['stream:write'], { plan: 'small' })
  const facts = { title: 'A', external_ref: null, filename: null, mime_type: null, watermark: null, bytes: 1_000 }
  const { id } = await assets.insert(db, { id: newId(), org_id: org.id, ...facts, profile: 'standard_vod' })
  await db.query(sql.typeAlias('void')`
    update video.assets set status = 'ready', stage = 'ready', package_id = ${newId()}, duration_seconds = 10
    where id = ${id}`)
  const cut = (end: number) =>
    stack.ingress.ask(`POST /v1/stream/assets/${id}/clips`, { key: keys.main, body: { start: 0, end } })
  const made = await Promise.all([cut(4), cut(4)])
  t.same(made.map(({ status }) => status).sort(), [201, 400], 'two at the same time cannot both use the last storage')
  t.match(made.find(({ status }) => status === 400)?.body.error, {
    code: 'plan_limit_exceeded',
    details: { field: 'body.end', limit: 'storage_bytes' },
  })
  const clip = made.find(({ status }) => status === 201)?.body
  t.same(Object.keys(clip.clipped_from).sort(), ['assetId', 'broadcastId', 'channelId', 'end', 'start'])
  t.equal((await cut(3)).status, 201, 'the rest can be used')
  t.equal((await cut(1)).status, 400)
  await db.query(sql.typeAlias('void')`update video.assets set status = 'failed' where id = ${clip.assetId}`)
  t.equal((await cut(1)).status, 201, 'a failed clip uses none')
})
