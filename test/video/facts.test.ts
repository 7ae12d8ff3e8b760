import t from 'tap'
import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import { createRecordingAsset } from '#tasks/video/rules/recorded.ts'
import { emittedTo } from '../support/emitted.ts'
import { fieldsOf, testOrg } from '../support/ingress.ts'
import { playableAsset } from '../support/playable-asset.ts'
import { type Started, videoStack } from '../support/video-stack.ts'

const stack = await videoStack(t)
const { ask, db } = stack
const { org, keys } = await testOrg(db, ['stream:read', 'stream:write'])
const key = keys.main
const start = async (body: Record<string, unknown> = {}): Promise<Started> =>
  (await ask('POST /v1/stream/uploads', { key, body: { bytes: 5, ...body } })).body
const change = (assetId: string, body: unknown) => ask(`PATCH /v1/stream/assets/${assetId}`, { key, body })
const read = async (assetId: string) => (await ask(`GET /v1/stream/assets/${assetId}`, { key })).body
const idsOf = async (query: string) => {
  const reply = await ask(`GET /v1/stream/assets?${query}`, { key })
  t.equal(reply.status, 200, reply.text)
  return reply.body.data.map(({ id }: { id: string }) => id)
}

t.test('what is said of an asset is given with its upload, changed one by one, and taken away', async (t) => {
  const said = { title: 'One', description: 'About\nit', externalRef: 'r/1', metadata: { course: 'a', term: '1' } }
  const { assetId } = await start(said)
  t.match(await read(assetId), said)
  t.match((await change(assetId, { title: 'Two' })).body, { id: assetId, title: 'Two', visibility: 'signed' })
  t.match(await read(assetId), { ...said, title: 'Two' }, 'the rest stays')
  t.match((await change(assetId, { metadata: { term: null, room: 'x' } })).body.metadata, { course: 'a', room: 'x' })
  t.strictSame((await read(assetId)).metadata, { course: 'a', room: 'x' })
  await change(assetId, { title: null, description: null, externalRef: null, metadata: null, visibility: 'private' })
  t.match(await read(assetId), { title: null, description: null, externalRef: null, visibility: 'private' })
  t.strictSame((await read(assetId)).metadata, {})
  const many = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`k${i}`, 'v']))
  t.equal((await change(assetId, { metadata: many })).status, 200)
  t.strictSame(fieldsOf(await change(assetId, { metadata: { onemore: 'v' } })), ['body.metadata'])
})

t.test('lists are of a reference, a visibility, or a value of the metadata', async (t) => {
  const made = []
  for (const [externalRef, course] of [
    ['x', 'a'],
    ['x', 'b'],
    ['y', 'a'],
  ] as const)
    made.unshift((await start({ externalRef, metadata: { course } })).assetId)
  const [third, second, first] = made
  await change(second as string, { visibility: 'public' })
  t.strictSame(await idsOf('externalRef=x'), [second, first])
  t.strictSame(await idsOf('metadata=course%3Aa'), [third, first])
  t.strictSame(await idsOf('metadata=course%3Aa&externalRef=y'), [third])
  t.strictSame(await idsOf('visibility=public'), [second])
  t.strictSame(await idsOf('metadata=course%3A'), [])
  const page = (await ask('GET /v1/stream/assets?externalRef=x&limit=1', { key })).body
  const next = await ask(`GET /v1/stream/assets?externalRef=x&limit=1&cursor=${page.next_cursor}`, { key })
  t.match(next.body, { data: [{ id: first }], next_cursor: null })
})

t.test('a recording stands where it was made, though its id is older; pages go on behind it', async (t) => {
  const other = await testOrg(db, ['stream:read', 'stream:write'])
  const old = newId()
  const at = (minute: number) => `2026-01-01T00:0${minute}:00Z`
  const ids = [newId(), newId(), old]
  for (const [i, id] of ids.entries()) {
    await db.transaction((tx) =>
      createRecordingAsset(tx, { id, orgId: other.org.id, title: `${i}`, filename: 'a.mp4', bytes: 1 }),
    )
    await db.query(sql.unsafe`update video.assets set created_at = ${at(i)} where id = ${id}`)
  }
  const walked: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await ask(`GET /v1/stream/assets?limit=1${cursor && `&cursor=${cursor}`}`, { key: other.keys.main })
    walked.push(...page.body.data.map(({ id }: { id: string }) => id))
    cursor = page.body.next_cursor
  }
  t.strictSame(walked, ids.toReversed())
})

t.test('changes and deletions are told to webhooks, and failures have a code', async (t) => {
  const { assetId } = await start({ metadata: { a: 'b' } })
  await change(assetId, { title: 'Told' })
  await ask(`DELETE /v1/stream/assets/${assetId}`, { key })
  const told = emittedTo(org.id).filter(({ data }) => 'id' in data && data.id === assetId)
  t.match(told, [
    { type: 'video.asset.updated', data: { title: 'Told', metadata: { a: 'b' }, failure_code: null } },
    { type: 'video.asset.deleted', data: { title: 'Told' } },
  ])
  t.equal((await ask(`DELETE /v1/stream/assets/${assetId}`, { key })).status, 404)
  t.equal((await change(assetId, { title: 'x' })).status, 404)
  const failed = await start()
  await db.query(sql.unsafe`
    update video.assets set status = 'failed', stage = 'failed', failure_code = 'not_media', failure_summary = 'No.'
    where id = ${failed.assetId}`)
  t.match(await read(failed.assetId), { failure_code: 'not_media', failure_summary: 'No.' })
})

t.test('sessions are listed, and a viewer’s are revoked together', async (t) => {
  const asset = await playableAsset(db, org.id)
  const mint = async (viewerId: string) =>
    (await ask(`POST /v1/stream/assets/${asset.id}/playback-sessions`, { key, body: { viewerId } })).body
  const [a, b, other] = [await mint('ada'), await mint('ada'), await mint('grace')]
  const list = async (query = '') => (await ask(`GET /v1/stream/playback-sessions${query}`, { key })).body.data
  t.match(
    (await list('?viewerId=ada')).map(({ sessionId }: { sessionId: string }) => sessionId),
    [b.sessionId, a.sessionId],
  )
  t.match(await list('?limit=1'), [
    { sessionId: other.sessionId, assetId: asset.id, viewerId: 'grace', revokedAt: null },
  ])
  t.notMatch(JSON.stringify(await list()), other.token, 'without their tokens')
  t.equal((await list(`?assetId=${asset.id}`)).length, 3)
  t.strictSame(await list(`?assetId=${newId()}`), [])
  const { keys: foreign } = await testOrg(db, ['stream:read', 'stream:write'])
  const revoke = (of: string) => ask('POST /v1/stream/playback-sessions/revoke', { key: of, body: { viewerId: 'ada' } })
  t.match(await revoke(foreign.main), { status: 200, body: { revoked: 0 } })
  t.equal((await fetch(a.hlsUrl)).status, 200)
  t.match(await revoke(key), { body: { viewerId: 'ada', revoked: 2 } })
  t.match(await revoke(key), { body: { revoked: 0 } })
  for (const { hlsUrl } of [a, b]) t.equal((await fetch(hlsUrl)).status, 403)
  t.equal((await fetch(other.hlsUrl)).status, 200)
  t.not((await list('?viewerId=ada'))[0].revokedAt, null)
})
