import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import * as plans from '#sql/account/plans.ts'
import { planLadder } from '#tasks/video/rules/transcode/ladder.ts'
import { mint } from '../../ops/video-client.ts'
import { ffmpeg } from '../media/ffmpeg.ts'
import { film, numbered } from '../media/sources.ts'
import { fetchText } from '../support/hls.ts'
import { fieldsOf } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { videoStack } from '../support/video-stack.ts'

t.setTimeout(240_000)
const stack = await videoStack(t)
const { ask, db } = stack
const at = (name: string) => join(stack.data, name)
const codec = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '60', '-pix_fmt', 'yuv420p']

const track = {
  ...{ index: 0, codec: 'h264', profile: 'High', level: 51, pixelFormat: 'yuv420p', seconds: 1 },
  ...({ rotation: 0, interlaced: false, range: 'sdr', fullRange: false, declaredFrames: null } as const),
  ...{ pixelAspect: { num: 1, den: 1 }, frameRate: null, nominalRate: null },
}
const ladder = (width: number, height: number, most?: number) =>
  planLadder({ ...track, width, height }, 'standard_vod', { num: 30, den: 1 }, most).map(({ name }) => name)

t.test('a ladder ends where its source does, or its plan', async (t) => {
  t.strictSame(ladder(3840, 2160, 2160), ['2160p', '1440p', '1080p', '720p', '480p', '360p'])
  t.strictSame(ladder(2560, 1440, 2160), ['1440p', '1080p', '720p', '480p', '360p'])
  t.strictSame(ladder(3840, 2160, 1440), ['1440p', '1080p', '720p', '480p', '360p'])
  t.strictSame(ladder(3840, 2160), ['1080p', '720p', '480p', '360p'])
  t.strictSame(ladder(1440, 2560, 2160), ['1440p', '1080p', '720p', '480p', '360p'], 'upright, too')
  t.strictSame(ladder(640, 360, 0), ['360p'], 'every plan has the lowest')
  const [top] = planLadder({ ...track, width: 3840, height: 2160 }, 'standard_vod', { num: 60, den: 1 }, 2160)
  t.equal(top?.level, '5.2')
})

const send = async () => await stack.send(await film(at('wide.mp4'), numbered('10', 1, '2560:1440'), { codec }))

t.test('a plan decides how large the largest rendition is', async (t) => {
  await stack.startWorkers()
  const wide = await send()
  await stack.ready(wide)
  t.match((await stack.read(wide)).renditions[0], { name: '1440p', width: 2560, height: 1440 })
  const plan = await plans.findForOrganisation(db, stack.orgId)
  await plans.put(db, { ...plan, video_lines: 480 })
  const narrow = await send()
  await stack.ready(narrow)
  t.match((await stack.read(narrow)).renditions[0], { name: '480p' })
  await plans.put(db, plan)
})

t.test('a rendition is one MP4, a frame is taken at its time, and the storyboard is beside the playlist', async (t) => {
  // Each second has a colour of its own.
  const colours = ['red', 'lime', 'blue', 'white', 'red', 'lime', 'blue', 'white', 'red', 'lime']
  const parts = colours.map((colour) => `color=${colour}:s=320x180:r=10:d=1`)
  const inputs = parts.flatMap((part) => ['-f', 'lavfi', '-i', part])
  const graph = `${parts.map((_, i) => `[${i}:v]`).join('')}concat=n=${parts.length}[v]`
  const sound = ['-f', 'lavfi', '-i', 'sine=duration=10']
  const maps = ['-map', '[v]', '-map', `${parts.length}:a`]
  await ffmpeg(...inputs, ...sound, '-filter_complex', graph, ...maps, ...codec, '-c:a', 'aac', at('colours.mp4'))
  const id = await stack.send(at('colours.mp4'))
  await stack.ready(id)

  const made = await ask(`POST /v1/stream/assets/${id}/mp4s`, { body: { rendition: '180p' } })
  t.match(made, { status: 201, body: { assetId: id, rendition: '180p', state: /queued|ready/ } })
  const file = await until(async () => {
    const { body } = await ask(`GET /v1/stream/assets/${id}/mp4s/180p`)
    return body.state === 'ready' && body
  })
  const bytes = Buffer.from(await (await fetch(file.url)).arrayBuffer())
  t.equal(bytes.length, file.bytes)
  t.ok(bytes.indexOf('moov') < bytes.indexOf('mdat'), 'its index is in front')
  await writeFile(at('got.mp4'), bytes)
  const told = (await ffmpeg('-i', at('got.mp4'), '-map', '0:v', '-map', '0:a', '-f', 'framecrc', '-')).toString()
  t.equal(told.match(/^0,/gm)?.length, 100, 'every frame')
  t.ok((told.match(/^1,/gm)?.length ?? 0) > 100, 'with its sound')
  t.match((await ask(`POST /v1/stream/assets/${id}/mp4s`, { body: { rendition: '180p' } })).body.state, 'ready')
  t.equal((await ask(`POST /v1/stream/assets/${id}/mp4s`, { body: { rendition: '1080p' } })).status, 404)

  for (const [time, pixel] of [
    [0, [254, 0, 0]],
    [2.5, [0, 0, 254]],
    [7.5, [255, 255, 255]],
    [10, [0, 255, 1]],
  ] as const) {
    const frame = await ask(`POST /v1/stream/assets/${id}/frames`, { body: { time, height: 90 } })
    t.match(frame, { status: 200, body: { time, contentType: 'image/jpeg' } })
    await writeFile(at('frame.jpg'), Buffer.from(await (await fetch(frame.body.url)).arrayBuffer()))
    const raw = await ffmpeg('-i', at('frame.jpg'), '-f', 'rawvideo', '-pix_fmt', 'rgb24', '-')
    t.equal(raw.length, 160 * 90 * 3)
    for (const [i, value] of pixel.entries())
      t.ok(Math.abs((raw[i] as number) - value) < 12, `${time}: ${raw.subarray(0, 3).join()}`)
  }
  t.strictSame(fieldsOf(await ask(`POST /v1/stream/assets/${id}/frames`, { body: { time: 10.5 } })), ['body.time'])

  const { hlsUrl, sessionId } = await mint(stack.api, id)
  const storyboard = new URL('storyboard.vtt', hlsUrl).href
  const cues = await fetchText(storyboard)
  const [sheet = ''] = cues.match(/^\S+(?=#xywh=0,0,)/m) ?? []
  t.equal((await fetch(new URL(sheet, storyboard))).headers.get('content-type'), 'image/jpeg')
  await ask(`DELETE /v1/stream/assets/playback-sessions/${sessionId}`)
  t.equal((await fetch(storyboard)).status, 403)

  await ask(`DELETE /v1/stream/assets/${id}`)
  const left = async () => [...(await stack.store.list('video/mp4s/')), ...(await stack.store.list('video/frames/'))]
  await until(async () => (await left()).length === 0, { what: 'files and frames go with the asset' })
})
