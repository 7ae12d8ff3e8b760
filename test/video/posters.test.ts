import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { mint } from '../../ops/video-client.ts'
import { ffmpeg } from '../media/ffmpeg.ts'
import { film } from '../media/sources.ts'
import { fieldsOf, testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { videoStack } from '../support/video-stack.ts'

t.setTimeout(180_000)
const stack = await videoStack(t)
const { ask, store } = stack
const at = (name: string) => join(stack.data, name)
const codec = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '60', '-pix_fmt', 'yuv420p']
// Red for three seconds, then blue.
const colours = 'color=red:s=320x180:r=30:d=3[a];color=blue:s=320x180:r=30:d=3[b];[a][b]concat'
await film(at('a.mp4'), colours, { codec })
await ffmpeg('-f', 'lavfi', '-i', 'sine=d=2', '-c:a', 'aac', at('sound.m4a'))

await stack.startWorkers()
const assetId = await stack.send(at('a.mp4'))
const sound = await stack.send(at('sound.m4a'))
await stack.ready(assetId)
await stack.ready(sound)
await ask(`PATCH /v1/stream/assets/${assetId}`, { body: { visibility: 'unlisted' } })
const posterPath = `/v1/stream/assets/${assetId}/poster`
const previewPath = `/v1/stream/assets/${assetId}/preview`

const image = async (colour: string, type: string, size = '64x36') => {
  const path = at(`${colour}.${type}`)
  await ffmpeg('-f', 'lavfi', '-i', `color=${colour}:s=${size}`, '-frames:v', '1', path)
  return await readFile(path)
}
const upload = (bytes: Buffer, key = stack.key) =>
  ask(`PUT ${posterPath}`, { key, body: { imageBase64: bytes.toString('base64') } })

/** Mean colour, ETag and type of the image behind a URL. */
async function look(url: string) {
  const answer = await fetch(url)
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`)
  await writeFile(at('seen'), Buffer.from(await answer.arrayBuffer()))
  const pixel = await ffmpeg(
    '-i',
    at('seen'),
    '-frames:v',
    '1',
    '-vf',
    'scale=1:1',
    '-f',
    'rawvideo',
    '-pix_fmt',
    'rgb24',
    '-',
  )
  const [red = 0, green = 0, blue = 0] = pixel
  const colour =
    red > 150 && green > 150 ? 'yellow' : red > 150 ? 'red' : green > 80 ? 'green' : blue > 150 ? 'blue' : 'dark'
  return { colour, etag: answer.headers.get('etag'), type: answer.headers.get('content-type') }
}

t.test('an own poster replaces the automatic one, with or without a token, until it is deleted', async (t) => {
  const open = `${stack.ingress.url}/v1/stream/open/${assetId}/poster.jpg`
  const { hlsUrl } = await mint(stack.api, assetId)
  const signed = new URL('poster.jpg', hlsUrl).href
  const first = await look(open)
  t.match(await stack.read(assetId), { posterSource: 'automatic' })
  const etags = new Set([first.etag])
  for (const [colour, type] of [
    ['yellow', 'png'],
    ['green', 'webp'],
    ['blue', 'jpg'],
  ] as const) {
    const reply = await upload(await image(colour, type))
    t.match(reply, { status: 200, body: { assetId, poster: 'open', posterSource: 'own' } })
    for (const url of [open, signed]) t.match(await look(url), { colour, type: 'image/jpeg' }, `${colour} ${type}`)
    etags.add((await look(open)).etag)
  }
  t.equal(etags.size, 4, 'each has its own ETag')
  t.match(await ask(`PUT ${posterPath}`, { body: { time: 5 } }), { status: 200 })
  t.match(await look(signed), { colour: 'blue' })
  t.match(await ask(`PUT ${posterPath}`, { body: { time: 1 } }), { status: 200 })
  t.match(await look(open), { colour: 'red' })
  t.match(await ask(`DELETE ${posterPath}`), { status: 200, body: { posterSource: 'automatic' } })
  t.equal((await look(open)).etag, first.etag)
  t.equal((await ask(`DELETE ${posterPath}`)).status, 404)
})

t.test('an audio file gets a poster, and has none when it is deleted', async (t) => {
  const path = `/v1/stream/assets/${sound}/poster`
  t.match(await stack.read(sound), { posterSource: null })
  const reply = await ask(`PUT ${path}`, { body: { imageBase64: (await image('green', 'png')).toString('base64') } })
  t.match(reply, { status: 200, body: { poster: 'signed', posterSource: 'own' } })
  t.match(await ask(`DELETE ${path}`), { body: { poster: 'none', posterSource: null } })
})

t.test('an image that no poster can be is refused by its field', async (t) => {
  const png = await image('yellow', 'png')
  const whole = await image('green', 'webp')
  await ffmpeg('-f', 'lavfi', '-i', 'testsrc2=s=64x36:r=5:d=1', '-c:v', 'libwebp_anim', at('moving.webp'))
  const bad: Record<string, Buffer> = {
    text: Buffer.from('no image'),
    'a cut PNG': png.subarray(0, png.length - 20),
    'a cut WebP': whole.subarray(0, whole.length - 8),
    'an animation': await readFile(at('moving.webp')),
    'too many pixels': await image('red', 'png', '5000x4000'),
    'a damaged JPEG': Buffer.concat([(await image('red', 'jpg')).subarray(0, 200), Buffer.alloc(4000, 7)]),
    'too many bytes': Buffer.concat([png, Buffer.alloc(5 * 1024 ** 2)]),
  }
  for (const [what, bytes] of Object.entries(bad)) t.same(fieldsOf(await upload(bytes)), ['body.imageBase64'], what)
  t.same(fieldsOf(await ask(`PUT ${posterPath}`, { body: {} })), ['body.imageBase64'])
  t.same(fieldsOf(await ask(`PUT ${posterPath}`, { body: { imageBase64: 'AAAA', time: 1 } })), ['body.time'])
  t.same(fieldsOf(await ask(`PUT ${posterPath}`, { body: { time: 60 } })), ['body.time'])
  const { keys } = await testOrg(stack.db, ['stream:read', 'stream:write'])
  t.equal((await upload(png, keys.main)).status, 404)
})

t.test('an animated preview is created, replaced, served like the poster, and deleted', async (t) => {
  const make = async (body: object) => {
    t.match(await ask(`PUT ${previewPath}`, { body }), { status: 201, body: { state: 'queued', url: null } })
    return await until(async () => {
      const { body } = await ask(`GET ${previewPath}`)
      return body.state === 'ready' && body
    })
  }
  const made = await make({ start: 2, duration: 2, width: 160, fps: 5 })
  t.match(made, { start: 2, duration: 2, width: 160, fps: 5, url: /preview\.webp$/ })
  const answer = await fetch(made.url)
  t.equal(answer.headers.get('content-type'), 'image/webp')
  const bytes = Buffer.from(await answer.arrayBuffer())
  t.equal(bytes.length, made.bytes)
  // ffmpeg 5 cannot read animations, so libwebp's own program or the frame count of the container judges.
  t.equal(bytes.toString('latin1').split('ANMF').length - 1 > 1, true, 'several frames')
  t.equal(1 + bytes.readUIntLE(24, 3), 160)
  const { hlsUrl } = await mint(stack.api, assetId)
  t.equal((await fetch(new URL('preview.webp', hlsUrl))).status, 200)
  await make({ duration: 1 })
  await ask(`PATCH /v1/stream/assets/${assetId}`, { body: { visibility: 'private' } })
  t.equal((await fetch(made.url)).status, 404)
  t.equal((await fetch(new URL('preview.webp', hlsUrl))).status, 403)
  t.match(await ask(`DELETE ${previewPath}`), { status: 200, body: { deleted: true } })
  t.equal((await ask(`GET ${previewPath}`)).status, 404)
  const wrong = { start: 60, duration: 11, width: 10, fps: 0 }
  const fields = ['body.duration', 'body.width', 'body.fps']
  t.same(new Set(fieldsOf(await ask(`PUT ${previewPath}`, { body: wrong }))), new Set(fields))
  t.same(fieldsOf(await ask(`PUT ${previewPath}`, { body: { start: 60 } })), ['body.start'])
})

t.test('images that are no longer used are deleted, and all of them with their asset', async (t) => {
  await upload(await image('yellow', 'png'))
  const extras = () => store.list(`video/extras/${assetId}/`)
  t.ok((await extras()).length > 1, 'replaced ones are kept for minutes')
  await ask(`DELETE /v1/stream/assets/${assetId}`)
  await until(async () => (await extras()).length === 0, { timeout: 60_000 })
})
