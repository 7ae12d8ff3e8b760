import { join } from 'node:path'
import t from 'tap'
import { sourceKey } from '#sql/video/uploads.ts'
import { film, numbered, readNumbers } from '../media/sources.ts'
import { fieldsOf, testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { videoStack } from '../support/video-stack.ts'

t.setTimeout(180_000)
const stack = await videoStack(t)
const { ask } = stack
const codec = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '60', '-pix_fmt', 'yuv420p']
const path = await film(join(stack.data, 'a.mp4'), numbered('30', 14, '320:180'), { codec })
const clips = (assetId: string, body: unknown, key = stack.key) =>
  ask(`POST /v1/stream/assets/${assetId}/clips`, { key, body })
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i)

const workers = await stack.startWorkers()
const vtt =
  'WEBVTT\n\n00:01.000 --> 00:02.500\na &amp; b\n\n00:04.000 --> 00:09.000\nlong\n\n00:13.000 --> 00:14.000\nend\n'
const assetId = await stack.send(path, { title: 'Railway', captions: [{ language: 'en', text: vtt, default: true }] })
await stack.ready(assetId)
const chapters = [
  { start: 0, title: 'One' },
  { start: 3, title: 'Two' },
  { start: 12.9, title: 'Three' },
]
await ask(`PUT /v1/stream/assets/${assetId}/chapters`, { body: { chapters } })

t.test('a clip has exactly the frames of its range, wherever segments begin', async (t) => {
  await ask(`PATCH /v1/stream/assets/${assetId}`, { body: { visibility: 'unlisted' } })
  for (const [start, end] of [
    [2, 5],
    [4.47, 12.53],
  ] as const) {
    const made = await clips(assetId, { start, end, metadata: { part: 'best' } })
    t.match(made, { status: 201, body: { status: 'processing', clipped_from: { assetId, channelId: null } } })
    const id = made.body.assetId
    await stack.ready(id)
    const [first, last] = [Math.round(start * 30), Math.round(end * 30)]
    const asset = await stack.read(id)
    t.match(asset, { title: 'Railway', visibility: 'unlisted', metadata: { part: 'best' }, clipped_from: { assetId } })
    t.ok(Math.abs(asset.durationSeconds - (last - first) / 30) <= 1 / 30, `${asset.durationSeconds} s`)
    t.ok(asset.bytes > 0)
    const url = await stack.store.storage.signGet(sourceKey(id), 60)
    t.strictSame(await readNumbers(url), range(first, last), `${start} to ${end}`)
    const text = (await ask(`GET /v1/stream/assets/${id}/captions/en.vtt`)).text
    if (start === 2) t.match(text, '00:00:00.000 --> 00:00:00.500\na &amp; b\n\n00:00:02.000 --> 00:00:03.000\nlong\n')
    else t.match(text, /00:00:00\.000 --> 00:00:04\.5\d\d\nlong\n$/)
    const marks = (await ask(`GET /v1/stream/assets/${id}/chapters`)).body.chapters
    t.match(
      marks,
      start === 2
        ? [
            { start: 0, title: 'One' },
            { start: 1, title: 'Two' },
          ]
        : [{ start: 0, title: 'Two' }],
    )
  }
  const listed = await ask(`GET /v1/stream/assets?clippedFrom=${assetId}`)
  t.equal(listed.body.data.length, 2)
})

t.test('ranges that no clip can have are named, field by field', async (t) => {
  const faults: [unknown, string[]][] = [
    [{ start: 20, end: 21 }, ['body.start', 'body.end']],
    [{ start: 2, end: 2.1 }, ['body.end']],
    [{ start: 5, end: 2 }, ['body.end']],
    [{ start: -1, end: 'x', colour: 'red' }, ['body.start', 'body.end', 'body.colour']],
    [{}, ['body.start', 'body.end']],
  ]
  for (const [body, fields] of faults) {
    const reply = await clips(assetId, body)
    t.equal(reply.status, 400)
    t.same(new Set(fieldsOf(reply)), new Set(fields), JSON.stringify(body))
  }
  const { keys } = await testOrg(stack.db, ['stream:read', 'stream:write'])
  t.equal((await clips(assetId, { start: 0, end: 2 }, keys.main)).status, 404)
})

t.test('a clip whose source is deleted first fails with the reason', async (t) => {
  await workers.stop()
  const { assetId: id } = (await clips(assetId, { start: 3, end: 11 })).body
  await ask(`DELETE /v1/stream/assets/${assetId}`)
  await stack.startWorkers()
  const failed = await until(async () => {
    const asset = await stack.read(id)
    return asset.status === 'failed' && asset
  })
  t.match(failed, { failure_code: 'source_deleted', failure_summary: /was deleted/, playable: false })
})
