import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import t from 'tap'
import { sourceKey } from '#sql/video/uploads.ts'
import { liveStack, type TestChannel } from '../support/live-stack.ts'
import { openPublisher, type Tag, tagsOf } from '../support/rtmp-publisher.ts'
import { until } from '../support/until.ts'
import { shown } from './shown.ts'

const execute = promisify(execFile)
const stack = await liveStack(t)
const [sounds, pictures] = [8, 9]

interface Coding {
  size?: string
  rate?: number
  sound?: number
  channels?: number
}

let made = 0
/** What an encoder sends with these settings for so many seconds, a key frame each second. */
async function encoded(seconds: number, { size = '160x90', rate = 25, sound = 44_100, channels = 1 }: Coding = {}) {
  const path = join(stack.data, `encoded-${++made}.flv`)
  const inputs = [
    '-f',
    'lavfi',
    '-i',
    `testsrc2=size=${size}:rate=${rate}`,
    '-f',
    'lavfi',
    '-i',
    `sine=sample_rate=${sound}`,
  ]
  const video = ['-c:v', 'libx264', '-preset', 'ultrafast', '-tune', 'zerolatency', '-g', String(rate)]
  const audio = ['-c:a', 'aac', '-ac', String(channels), '-ar', String(sound)]
  await execute('ffmpeg', ['-v', 'error', ...inputs, ...video, ...audio, '-t', String(seconds), '-f', 'flv', path])
  return tagsOf(await readFile(path))
}

/** Tags some seconds later, without the metadata that a file begins with. */
const later = (tags: Tag[], seconds: number, types = [sounds, pictures]) =>
  tags.filter(({ type }) => types.includes(type)).map((tag) => ({ ...tag, time: tag.time + 1000 * seconds }))

/** Sends tags on one connection, in real time. */
async function send({ primary }: TestChannel, tags: Tag[]): Promise<void> {
  const publisher = await openPublisher(stack.rtmp(primary))
  await publisher.accepted()
  const begun = Date.now()
  for (const tag of tags.toSorted((a, b) => a.time - b.time)) {
    const early = begun + tag.time - Date.now()
    if (early > 0) await pause(early)
    publisher.send(tag)
  }
  publisher.socket.end()
}

/** What a decoder makes of a recording: its complaints, and the frames of each track. */
async function decoded(channel: TestChannel): Promise<Decoded> {
  const { assetId } = await channel.recorded()
  const url = await stack.store.storage.signGet(sourceKey(assetId), 60)
  const { stderr } = await execute('ffmpeg', ['-v', 'error', '-i', url, '-f', 'null', '-'])
  const show = ['-count_packets', '-show_entries', 'format=duration:stream=codec_type,duration,nb_read_packets']
  const { stdout } = await execute('ffprobe', ['-v', 'error', ...show, '-of', 'json', url])
  const { format, streams } = JSON.parse(stdout) as Probed
  const [audio, video] = ['audio', 'video'].map((type) => streams.find(({ codec_type }) => codec_type === type))
  const [seconds, sound] = [Number(format.duration), Number(audio?.duration)]
  return { stderr, frames: Number(video?.nb_read_packets), seconds, sound }
}

interface Probed {
  format: { duration: string }
  streams: { codec_type: string; duration: string; nb_read_packets: string }[]
}

interface Decoded {
  stderr: string
  frames: number
  seconds: number
  /** Seconds of sound. */
  sound: number
}

await stack.startLive()
const make = (record = true) => stack.makeChannel({ visibility: 'unlisted', record })
const channels = await Promise.all([make(), make(), make(), make(), make(false)])
const [resized, retuned, heard, seen, modern] = channels as [T, T, T, T, T]
type T = TestChannel

/** Seconds before a change, and behind it. */
const half = 4
const [usual, wide, deep] = await Promise.all([
  encoded(half),
  encoded(half, { size: '240x136' }),
  encoded(half, { sound: 48_000, channels: 2 }),
])
/** Metadata of an encoder that sends HEVC by enhanced RTMP. */
const hevc = Buffer.concat([
  Buffer.from('\x02\0\x0d@setDataFrame\x02\0\x0aonMetaData\x03\0\x0cvideocodecid\0', 'latin1'),
  (() => {
    const number = Buffer.alloc(8)
    number.writeDoubleBE(Buffer.from('hvc1').readUInt32BE())
    return number
  })(),
  Buffer.from([0, 0, 9]),
])
const sent = [
  send(resized, [...later(usual, 0), ...later(wide, half)]),
  send(retuned, [...later(usual, 0), ...later(deep, half)]),
  send(heard, [...later(usual, 0, [pictures]), ...later(usual, half)]),
  send(seen, [...later(usual, 0, [sounds]), ...later(usual, half)]),
  send(modern, [{ type: 18, time: 0, body: hevc }, ...later(usual, 0, [sounds]), ...later(usual, half, [sounds])]),
]

let isSent = false
const over = Promise.all(sent).then(() => {
  isSent = true
})
/** What each channel tells of its stream while it is on air. */
const told = new Map<TestChannel, { width?: number; warnings: string[] }[]>(channels.map((channel) => [channel, []]))
const watched = channels.map((channel) =>
  until(
    async () => {
      const { stream } = await channel.read()
      if (stream) told.get(channel)?.push(stream)
      return isSent
    },
    { timeout: 60_000, every: 100, what: 'all is sent' },
  ),
)
const toldOf = (channel: TestChannel) => told.get(channel) ?? []

/** Waits until viewers are shown what is behind a discontinuity with another header. */
async function renewed(channel: TestChannel) {
  const viewer = shown(stack, channel)
  const playlist = await until(
    async () => {
      const now = await viewer.playlist()
      return now && new Set(now.segments.map(({ map }) => map)).size > 1 && now
    },
    { timeout: 30_000, what: 'another header' },
  )
  const at = playlist.segments.findIndex(({ map }) => map !== playlist.segments[0]?.map)
  return { viewer, playlist, before: playlist.segments[0], behind: playlist.segments[at] }
}

t.test('pictures of another size on the same connection are behind a discontinuity with a new header', async (t) => {
  const { viewer, playlist, behind } = await renewed(resized)
  t.ok(behind?.discontinuity)
  t.same(
    playlist.segments.filter(({ gap }) => gap),
    [],
    'nothing is lost',
  )
  t.same(await viewer.tracks(behind as NonNullable<typeof behind>), ['audio', 'video'])
  await Promise.all(watched)
  t.same(new Set(toldOf(resized).map(({ width }) => width ?? 160)), new Set([160, 240]))
})

t.test('sound of another rate on the same connection is behind a discontinuity with a new header', async (t) => {
  const { viewer, behind } = await renewed(retuned)
  t.ok(behind?.discontinuity)
  t.same(await viewer.tracks(behind as NonNullable<typeof behind>), ['audio', 'video'])
})

t.test('a track that joins late is broadcast, and the channel no longer says that none comes', async (t) => {
  for (const channel of [heard, seen]) {
    const { viewer, before, behind } = await renewed(channel)
    t.equal((await viewer.tracks(before as NonNullable<typeof before>)).length, 1)
    t.same(await viewer.tracks(behind as NonNullable<typeof behind>), ['audio', 'video'])
    const warnings = toldOf(channel).map((stream) => stream.warnings.join())
    t.ok(
      warnings.some((warning) => /^No (AAC|H\.264)/.test(warning)),
      'it was missed before',
    )
    t.equal(warnings.at(-1), '')
  }
})

t.test('video that is not broadcast is named on the channel', async (t) => {
  const warnings = toldOf(modern).flatMap((stream) => stream.warnings)
  t.ok(
    warnings.some((warning) => /^HEVC.*H\.264/.test(warning)),
    [...new Set(warnings)].join(),
  )
})

t.test('recordings have every frame, and a decoder finds nothing wrong with them', async (t) => {
  await over
  for (const channel of [resized, retuned, heard]) {
    const { stderr, frames, seconds, sound } = await decoded(channel)
    t.same([stderr, frames], ['', 50 * half])
    t.ok(
      Math.abs(seconds - 2 * half) < 0.3 && Math.abs(sound - 2 * half) < 0.3,
      `${seconds} s, with ${sound} s of sound`,
    )
  }
  // Black pictures stand for those that came later.
  const { stderr, frames, sound } = await decoded(seen)
  t.equal(stderr, '')
  t.ok(frames > 45 * half && Math.abs(sound - 2 * half) < 0.5, `${frames} frames, ${sound} s of sound`)
})
