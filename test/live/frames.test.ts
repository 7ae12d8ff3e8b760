import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { newId } from '#lib/ids.ts'
import { signOriginToken } from '#tasks/live/rules/origin-token.ts'
import { until } from '../support/until.ts'
import { signingSecret, videoStack } from '../support/video-stack.ts'
import { onAir, recorded, testOrigin } from './on-air.ts'

const execute = promisify(execFile)
const stack = await videoStack(t)
const origin = await testOrigin(t, stack)
const inputOptions = ['-re', '-stream_loop', '-1']

const get = (channelId: string, token = signOriginToken(channelId, signingSecret)) =>
  fetch(`${origin.url}/${channelId}/frames.mp4`, { headers: { authorization: `Bearer ${token}` } })

async function readBytes(response: Response, most: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of response.body ?? []) {
    chunks.push(Buffer.from(chunk))
    if (Buffer.concat(chunks).length >= most) break
  }
  return Buffer.concat(chunks)
}

t.test('the frames of a broadcast are sent immediately, and only to workers', async (t) => {
  const air = await onAir(stack, origin, { input: await recorded(join(stack.data, 'air.flv'), 8), inputOptions })
  await until(() => air.parts.length > 2, { what: 'parts come' })
  const response = await get(air.channelId)
  t.match([response.status, response.headers.get('x-audio')], [200, 'true'])
  const path = join(stack.data, 'frames.mp4')
  await writeFile(path, await readBytes(response, 60_000))
  const shown = ['-v', 'error', '-show_entries', 'stream=codec_name', '-of', 'csv=p=0', path]
  const { stdout } = await execute('ffprobe', shown)
  t.same(stdout.split('\n').filter(Boolean).toSorted(), ['aac', 'h264'])
  const other = newId()
  t.equal((await get(air.channelId, signOriginToken(other, signingSecret))).status, 403)
  t.equal((await get(other)).status, 404)
  const open = await get(air.channelId)
  await air.live.stop()
  await readBytes(open, Number.POSITIVE_INFINITY)
  t.equal((await get(air.channelId)).headers.get('x-live'), 'no_frames', 'after the publisher has left')
})

t.test('B-frames and a broadcast without video are refused', async (t) => {
  const [mixed, sound] = [join(stack.data, 'b.flv'), join(stack.data, 'sound.flv')]
  const tone = ['-f', 'lavfi', '-i', 'sine', '-t', '6', '-c:a', 'aac']
  const picture = '-f lavfi -i testsrc2=size=160x90:rate=30 -c:v libx264 -bf 2 -g 30 -pix_fmt yuv420p'.split(' ')
  const [source, coding] = [picture.slice(0, 4), picture.slice(4)]
  await execute('ffmpeg', ['-v', 'error', '-y', ...tone, sound])
  await execute('ffmpeg', ['-v', 'error', '-y', ...source, ...tone, ...coding, mixed])
  for (const [input, reason] of [
    [mixed, 'b_frames'],
    [sound, 'no_video'],
  ] as const) {
    const air = await onAir(stack, origin, { input, inputOptions })
    await until(() => air.parts.length > 2, { what: 'parts come' })
    const response = await get(air.channelId)
    t.match([response.status, response.headers.get('x-live')], [409, reason])
  }
})
