import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { isCopyable } from '#tasks/video/rules/transcode/copyable.ts'
import { ffmpeg, ffprobe } from '../../media/ffmpeg.ts'
import { soundLead } from '../../media/measure.ts'
import { call, engine, type Made, make, scratch } from '../../media/pipeline.ts'
import { film, numbered, readNumbers } from '../../media/sources.ts'

const folder = await scratch(t)
const at = (name: string) => join(folder, name)
const tiny = '128:72'
const quick = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-g', '50']

/** Writes picture and sound, each from a time of its own. */
async function offset(name: string, { picture = 0, sound = 0, until = 9 }, codecs: string[]): Promise<string> {
  const inputs = [
    ...['-itsoffset', String(picture), '-f', 'lavfi', '-i', numbered('25', until - picture, tiny)],
    ...['-itsoffset', String(sound), '-f', 'lavfi', '-i', `sine=f=440:r=48000:d=${until - sound}`],
  ]
  await ffmpeg(...inputs, '-map', '0', '-map', '1', ...codecs, at(name))
  return at(name)
}

const lengthOf = async (path: string) => Number((await ffprobe(path, 'format=duration'))[0]?.duration)

/** Mean volume of a stretch of a playlist's sound, in dB. */
async function volume(playlist: string, from: number, to: number): Promise<number> {
  const pcm = await ffmpeg('-i', playlist, '-af', `atrim=${from}:${to}`, '-ac', '1', '-f', 's16le', '-')
  const wave = new Int16Array(pcm.buffer, pcm.byteOffset, pcm.length / 2)
  const power = wave.reduce((sum, value) => sum + (value / 32768) ** 2, 0) / Math.max(1, wave.length)
  return 10 * Math.log10(power + 1e-10)
}

const names = ({ ladder }: Made) => ladder.renditions.map(({ name }) => name)

t.test('tracks that begin later than ffmpeg looks are found, wherever they are announced', async (t) => {
  const avc = [...quick, '-c:a', 'aac']
  const cases: [string, string[]][] = [
    ['late.ts', avc],
    ['late.mkv', avc],
    ['late.mpg', ['-c:v', 'mpeg2video', '-c:a', 'mp2']],
  ]
  for (const [name, codecs] of cases) {
    const late = await make(await offset(`sound-${name}`, { sound: 7 }, codecs), at(`of-sound-${name}`))
    t.strictSame(names(late), ['72p', 'audio'], `sound in ${name}`)
    const heard = late.at('audio.m3u8')
    const [before, after] = [await volume(heard, 1, 6), await volume(heard, 7.5, 8.5)]
    t.ok(before < -80 && after > -30, `${name}: ${before} dB, then ${after} dB`)
    t.strictSame(late.mezzanine.probe.leftOut, [])
    const picture = await make(await offset(`picture-${name}`, { picture: 7 }, codecs), at(`of-picture-${name}`))
    t.strictSame(names(picture), ['72p', 'audio'], `picture in ${name}`)
    t.strictSame(picture.mezzanine.probe.leftOut, [])
  }
})

t.test('a recording cut within a group of pictures keeps its picture', async (t) => {
  const whole = at('whole.ts')
  await film(whole, numbered('25', 14, tiny), { codec: [...quick.slice(0, -1), '200'] })
  const bytes = await readFile(whole)
  const cut = at('cut.ts')
  await writeFile(cut, bytes.subarray(188 * Math.floor(bytes.length / 188 / 20)))
  const made = await make(cut, at('of-cut'))
  t.strictSame(names(made), ['72p', 'audio'])
  const shown = await readNumbers(made.at('72p.m3u8'))
  // The first group is lost; its sound is heard over the first picture of the second.
  const held = shown.findIndex((number) => number > 200)
  t.ok(held > 150 && held <= 200, `held for ${held} frames`)
  t.ok(shown.slice(0, held).every((number) => number === 200))
  t.strictSame(
    shown.slice(held),
    Array.from({ length: shown.length - held }, (_, i) => 201 + i),
  )
  t.ok(Math.abs(shown.length / 25 - made.mezzanine.seconds) < 0.1)
})

t.test('a track that was never announced is found when it comes, or named as left out', async (t) => {
  // Two recordings in one file: the second has sound.
  const first = await film(at('first.ts'), numbered('25', 8, tiny), { sound: null, codec: quick })
  const second = await film(at('second.ts'), numbered('25', 4, tiny), {
    codec: quick,
    more: ['-output_ts_offset', '8'],
  })
  const both = at('both.ts')
  await writeFile(both, Buffer.concat([await readFile(first), await readFile(second)]))
  const made = await make(both, at('of-both'))
  t.strictSame(names(made), ['72p', 'audio'])
  t.ok((await volume(made.at('audio.m3u8'), 9, 11)) > -60)
})

t.test('the first picture is held over the sound before it', async (t) => {
  for (const name of ['early.webm', 'early.ts']) {
    const codecs = name.endsWith('webm')
      ? ['-c:v', 'libvpx', '-deadline', 'realtime', '-g', '50', '-c:a', 'libopus']
      : [...quick, '-c:a', 'aac']
    // Longer than a chunk, which then begins and ends before the picture.
    const until = name.endsWith('webm') ? 40 : 9
    const picture = name.endsWith('webm') ? 30 : 6
    const made = await make(await offset(name, { picture, until }, codecs), at(`of-${name}`))
    t.notOk(isCopyable(made.mezzanine), 'its copy would lose sound')
    const shown = await readNumbers(made.at('72p.m3u8'))
    t.ok(Math.abs(shown.length - until * 25) <= 1, `${shown.length} frames of ${name}`)
    const held = shown.indexOf(1)
    t.ok(Math.abs(held - picture * 25 - 1) <= 1, `${name}: the second picture is frame ${held}`)
    t.ok(shown.slice(0, held).every((number) => number === 0))
    t.strictSame(
      shown.slice(held),
      Array.from({ length: shown.length - held }, (_, i) => i + 1),
    )
    t.ok((await volume(made.at('audio.m3u8'), 0.5, picture - 0.5)) > -30, 'heard from the beginning')
    t.ok(Math.abs((await lengthOf(made.at('audio.m3u8'))) - until) < 0.1)
    t.ok(Math.abs(await soundLead(made.ladder)) < 0.05)
  }
})

t.test('a stray packet of sound long before the picture is no beginning', async (t) => {
  const source = await offset('stray.mkv', {}, [...quick, '-c:a', 'aac'])
  const stray = at('stray-cut.mkv')
  await ffmpeg(
    '-i',
    source,
    '-c',
    'copy',
    '-bsf:a',
    "setts=ts='if(lt(N,2),TS,TS+20/TB)'",
    '-bsf:v',
    "setts=ts='TS+20/TB'",
    stray,
  )
  const { timeline, seconds } = await engine.mezzanine({ source: stray, folder: at('of-stray') }, call)
  t.equal(timeline?.lead ?? 0, 0)
  t.ok(Math.abs(seconds - 9) < 0.1, `${seconds} s`)
})

t.test('the default picture track is shown, then the longest, then the largest, and others are named', async (t) => {
  const movie = await film(at('movie.mp4'), numbered('25', 4, tiny), { codec: quick })
  const thumbnail = ['-f', 'lavfi', '-i', 'color=red:s=320x240:r=25:d=0.04']
  const codecs = ['-c:v:0', 'mjpeg', '-c:v:1', 'copy', '-c:a', 'copy']
  // The thumbnail in Matroska is the default one.
  for (const name of ['thumbnail.mp4', 'thumbnail.mkv', 'thumbnail.mov']) {
    const film = ['-map', '1:v', '-map', '1:a', '-disposition:v:1', '0']
    await ffmpeg(...thumbnail, '-i', movie, '-map', '0:v', ...film, ...codecs, at(name))
    const { video, leftOut } = await engine.probe(at(name), call)
    t.match(video, { codec: 'h264', width: 128 }, name)
    t.strictSame(leftOut, [{ kind: 'video', track: 1, language: null, name: null, reason: 'limit' }])
  }
  const made = await make(at('thumbnail.mkv'), at('of-thumbnail'))
  t.equal((await readNumbers(made.at('72p.m3u8'))).length, 100)
  const angles = ['-f', 'lavfi', '-i', 'testsrc2=s=64x36:r=25:d=3', '-f', 'lavfi', '-i', 'testsrc2=s=128x72:r=25:d=3']
  const both = ['-map', '0', '-map', '1', ...quick]
  await ffmpeg(...angles, ...both, '-disposition:v', 'default', at('largest.mkv'))
  t.equal((await engine.probe(at('largest.mkv'), call)).video?.width, 128)
  await ffmpeg(...angles, ...both, '-disposition:v:0', 'default', '-disposition:v:1', '0', at('default.mkv'))
  t.equal((await engine.probe(at('default.mkv'), call)).video?.width, 64)
})
