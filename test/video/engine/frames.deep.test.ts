import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { ffmpeg } from '../../media/ffmpeg.ts'
import { make, scratch } from '../../media/pipeline.ts'
import { film, h264, numbered, readNumbers } from '../../media/sources.ts'

const folder = await scratch(t)
const upTo = (count: number) => Array.from({ length: count }, (_, i) => i)

const small = '160:90'

/** Two chunks, of 12 and 6 s, whose edge falls between key frames. */
const long = (rate: string) => numbered(rate, 18, small)

/** The numbers that a single run of ffmpeg's fps filter shows. */
const single = (source: string, rate: string) => readNumbers(source, `setpts=PTS-STARTPTS,fps=${rate}`)

async function shown(source: string, name: string) {
  const made = await make(source, join(folder, name))
  return { ...made, numbers: await readNumbers(made.at(made.ladder.renditions[0]?.playlist ?? '')) }
}

t.test('29.97 fps is kept as 30000/1001, frame by frame, with segments of exactly 180 frames', async (t) => {
  const source = await film(join(folder, 'ntsc.mp4'), long('30000/1001'))
  const { numbers, plan, ladder } = await shown(source, 'ntsc')
  t.match(plan?.chunks, { rate: { num: 30000, den: 1001 }, gop: 60, segment: 180 })
  t.strictSame(numbers, upTo(540))
  t.equal(ladder.renditions[0]?.segments, 3)
})

t.test('23.976 fps in Matroska, whose times are rounded to 1 ms, loses and repeats nothing', async (t) => {
  const source = await film(join(folder, 'film.mkv'), long('24000/1001'), {
    codec: ['-c:v', 'libvpx', '-b:v', '400k', '-deadline', 'realtime', '-cpu-used', '8', '-threads', '1'],
    sound: null,
  })
  const { numbers, mezzanine, plan } = await shown(source, 'film')
  t.equal(mezzanine.probe.format, 'mkv')
  t.match(plan?.chunks.rate, { num: 24000, den: 1001 })
  t.strictSame(numbers, upTo(mezzanine.timeline?.frames ?? 0))
})

t.test('AVI with B-frames, which has no presentation times, keeps its frames', async (t) => {
  const codec = ['-c:v', 'mpeg4', '-bf', '2', '-g', '100', '-q:v', '5']
  const source = await film(join(folder, 'old.avi'), long('15'), { codec })
  t.strictSame((await shown(source, 'old')).numbers, upTo(270))
})

t.test('open groups of pictures are cut as exactly as closed ones', async (t) => {
  const source = await film(join(folder, 'open.mp4'), long('15'), {
    codec: [...h264, '-x264-params', 'open-gop=1:scenecut=0'],
  })
  const { numbers, mezzanine } = await shown(source, 'open')
  t.ok(mezzanine.timeline?.openGop)
  t.strictSame(numbers, upTo(270))
})

t.test('an uneven rate shows, in chunks, the frames that one run over the whole film shows', async (t) => {
  // Two of every seven frames are missing, and two seconds across the chunk's edge at 12 s.
  const uneven = `select='not(eq(mod(n,7),3)+eq(mod(n,7),5)+between(n,175,205))'`
  const source = await film(join(folder, 'vfr.mp4'), `${long('15')},${uneven}`, {
    more: ['-fps_mode', 'vfr'],
    codec: [...h264, '-g', '60'],
  })
  const { numbers, mezzanine, plan } = await shown(source, 'vfr')
  t.equal(mezzanine.timeline?.constant, false)
  t.match(plan?.chunks.rate, { num: 15, den: 1 })
  const expected = (await single(source, '15')).slice(0, plan?.chunks.frames)
  t.equal(numbers.length, plan?.chunks.frames)
  t.strictSame(numbers, expected)
})

t.test('fast_social takes every second frame of 60 fps', async (t) => {
  const source = await film(join(folder, 'fast.mp4'), numbered('60', 18, small))
  const made = await make(source, join(folder, 'fast'), { profile: 'fast_social' })
  t.match(made.plan?.chunks.rate, { num: 30, den: 1 })
  const numbers = await readNumbers(made.at('90p.m3u8'))
  t.equal(numbers.length, 540)
  t.ok(
    numbers.slice(1).every((number, i) => number - (numbers[i] ?? 0) === 2),
    'two apart throughout',
  )
})

t.test('a recording that changes its size midway keeps its frames and one size', async (t) => {
  const codec = ['-c:v', 'libvpx', '-b:v', '400k', '-deadline', 'realtime', '-cpu-used', '8', '-threads', '1']
  for (const [name, size] of [
    ['one', '640:360'],
    ['two', '320:180'],
  ] as const) {
    await film(join(folder, `${name}.webm`), numbered('30', 2, size), { codec, sound: null })
  }
  const list = join(folder, 'sizes.ffconcat')
  await writeFile(list, 'ffconcat version 1.0\nfile one.webm\nfile two.webm\n')
  const source = join(folder, 'sizes.webm')
  await ffmpeg('-i', list, '-c', 'copy', source)
  const { numbers, plan } = await shown(source, 'sizes')
  t.strictSame(
    plan?.renditions.map(({ name }) => name),
    ['360p'],
  )
  t.strictSame(numbers, [...upTo(60), ...upTo(60)])
})
