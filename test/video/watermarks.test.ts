import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32, deflateSync } from 'node:zlib'
import t from 'tap'
import { sql } from '#sql/db.ts'
import { mint } from '../../ops/video-client.ts'
import { ffmpeg } from '../media/ffmpeg.ts'
import { colourAt } from '../media/measure.ts'
import { film } from '../media/sources.ts'
import { readStreams } from '../support/hls.ts'
import { fieldsOf, testOrg } from '../support/ingress.ts'
import { videoStack } from '../support/video-stack.ts'

t.setTimeout(240_000)
const stack = await videoStack(t)
const { ask, db, store } = stack
const at = (name: string) => join(stack.data, name)
await stack.startWorkers()
await ffmpeg('-f', 'lavfi', '-i', 'color=white:s=200x100', '-frames:v', '1', at('logo.png'))
await ffmpeg('-f', 'lavfi', '-i', 'color=white:s=200x100', '-frames:v', '1', '-pix_fmt', 'yuvj420p', at('logo.jpg'))
const png = await readFile(at('logo.png'))
const jpeg = await readFile(at('logo.jpg'))
const create = (image: Buffer | string, more: object = {}, key = stack.key) =>
  ask('POST /v1/stream/watermarks', {
    key,
    body: { imageBase64: typeof image === 'string' ? image : image.toString('base64'), ...more },
  })

t.test('a logo is stored, listed, and looked at with a link', async (t) => {
  const made = await create(png, { name: 'white' })
  t.equal(made.status, 201)
  t.match(made.body, { name: 'white', bytes: png.length, contentType: 'image/png', width: 200, height: 100 })
  const second = await create(`data:image/jpeg;base64,${jpeg.toString('base64')}`)
  t.match(second.body, { name: null, bytes: jpeg.length, contentType: 'image/jpeg', width: 200, height: 100 })
  const listed = await ask('GET /v1/stream/watermarks')
  t.strictSame(
    listed.body.data.map(({ id }: { id: string }) => id),
    [second.body.id, made.body.id],
  )
  const preview = await ask(`GET /v1/stream/watermarks/${made.body.id}/image`)
  t.equal(preview.body.expiresInSeconds, 300)
  const shown = await fetch(preview.body.url)
  t.equal(shown.headers.get('content-type'), 'image/png')
  t.ok(Buffer.from(await shown.arrayBuffer()).equals(png))

  const { keys } = await testOrg(db, ['stream:read', 'stream:write'])
  t.strictSame((await ask('GET /v1/stream/watermarks', { key: keys.main })).body.data, [])
  t.equal((await ask(`GET /v1/stream/watermarks/${made.body.id}/image`, { key: keys.main })).status, 404)
  const watermark = { watermarkId: made.body.id }
  const theirs = await ask('POST /v1/stream/uploads', { key: keys.main, body: { bytes: 5, watermark } })
  t.equal(theirs.status, 400)
  t.strictSame(fieldsOf(theirs), ['body.watermark.watermarkId'])
})

/** A PNG chunk. */
function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const frame = Buffer.alloc(8)
  frame.writeUInt32BE(data.length, 0)
  frame.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)])
}

/** A PNG of 8-bit grey with the given data. */
function pngOf(width: number, height: number, data: Buffer, ...more: Buffer[]): Buffer {
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0])
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  const chunks = [chunk('IHDR', header), ...more, chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))]
  return Buffer.concat([png.subarray(0, 8), ...chunks])
}

t.test('what is no still picture of sane size, and nothing else, is refused with the reason', async (t) => {
  const before = (await store.list('video/watermarks/')).length
  const flipped = Buffer.from(png)
  flipped.writeUInt8(flipped.readUInt8(60) ^ 1, 60)
  const zip = Buffer.from('504b0304140000000000', 'hex')
  const bad: [string, Buffer | string, RegExp][] = [
    ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), /must be a PNG or JPEG image/],
    ['GIF', Buffer.from('GIF89a\x01\x00\x01\x00'), /must be a PNG or JPEG image/],
    ['no base64', 'läßt sich nicht lesen', /must be base64/],
    ['PNG and ZIP', Buffer.concat([png, zip]), /data after the end/],
    ['JPEG and ZIP', Buffer.concat([jpeg, zip]), /data after the end/],
    ['a flipped bit', flipped, /checksum/],
    ['half a PNG', png.subarray(0, 90), /must be a complete PNG/],
    ['half a JPEG', jpeg.subarray(0, jpeg.length - 2), /must be a complete JPEG/],
    ['a JPEG without frame', Buffer.from('ffd8ffd9', 'hex'), /with image data/],
    ['16k by 16k', pngOf(16_384, 16_384, deflateSync(Buffer.alloc(10))), /16384x16384, but must have up to/],
    ['no pixels', pngOf(0, 5, deflateSync(Buffer.alloc(0))), /at least one pixel/],
    ['animated', pngOf(1, 1, deflateSync(Buffer.alloc(2)), chunk('acTL', Buffer.alloc(8))), /Animated PNG/],
    ['not decodable', pngOf(300, 300, Buffer.from('no deflate')), /must be an image that can be decoded/],
    ['too large', Buffer.concat([png.subarray(0, 8), Buffer.alloc(1024 ** 2)]), /must have up to 1048576/],
  ]
  for (const [name, image, why] of bad) {
    const reply = await create(image)
    t.equal(reply.status, 400, name)
    t.strictSame(fieldsOf(reply), ['body.imageBase64'], name)
    t.match(reply.body.error.message, why, name)
  }
  t.equal((await create(Buffer.alloc(1_300_000))).status, 413)
  t.equal((await store.list('video/watermarks/')).length, before, 'nothing of them is kept')
})

t.test('a logo is on every picture in every rendition, and no copy without it is ever served', async (t) => {
  const { id } = (await create(png)).body
  const source = await film(at('dark.mp4'), 'color=black:s=854x480:r=5:d=14', {})
  const facts = { watermark: { watermarkId: id, position: 'tl', opacity: 0.9 } }
  const assetId = await stack.send(source, facts)
  await stack.ready(assetId)
  const asset = await stack.read(assetId)
  t.strictSame(asset.playable_at, asset.ready_at, 'playable with its ladder, not before')
  t.strictSame(
    asset.renditions.map(({ name }: { name: string }) => name),
    ['480p', '360p', 'audio'],
  )
  const copied = await db.exists(
    sql.unsafe`select 1 from jobs.runs where subject = ${assetId} and task = 'video/package-source'`,
  )
  t.notOk(copied)
  const { hlsUrl } = await mint(stack.api, assetId)
  const pictures = (await readStreams(hlsUrl)).filter(({ kind }) => kind === 'video')
  t.equal(pictures.length, 2)
  for (const [variant, name] of ['480p', '360p'].entries()) {
    // Early in the film and late.
    for (const second of [1, 13]) {
      const frame = at(`${name}-${second}.png`)
      const which = ['-map', `0:v:${variant}`, '-ss', String(second), '-frames:v', '1']
      await ffmpeg('-http_persistent', '0', '-i', hlsUrl, ...which, frame)
      t.ok((await colourAt(frame, 0.03, 0.06)).luma > 180, `white above left in ${name} at ${second} s`)
      t.ok((await colourAt(frame, 0.86, 0.87)).luma < 20, `black below right in ${name} at ${second} s`)
    }
  }
})
