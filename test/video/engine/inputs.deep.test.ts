import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { isCopyable } from '#tasks/video/rules/transcode/copyable.ts'
import { ffmpeg, ffprobe } from '../../media/ffmpeg.ts'
import { colourAt, decode, pictureFacts } from '../../media/measure.ts'
import { call, engine, type Made, make, scratch } from '../../media/pipeline.ts'
import { film, h264 } from '../../media/sources.ts'

const folder = await scratch(t)

const bars = (size: string, rate = '25', seconds = 1) => `testsrc2=s=${size}:r=${rate}:d=${seconds}`
const sizes = ({ plan }: Made) => plan?.renditions.map(({ width, height }) => `${width}x${height}`)

t.test('wide pixels become square ones, odd sizes even ones, and nothing is enlarged', async (t) => {
  const dv = await make(
    await film(join(folder, 'dv.mp4'), `${bars('720x576')},setsar=64/45`, { sound: null }),
    join(folder, 'dv'),
  )
  t.strictSame(sizes(dv), ['854x480', '640x360'])
  t.match(await pictureFacts(dv.at('480p.m3u8')), { width: '854', height: '480', sample_aspect_ratio: '1:1' })
  t.notOk(isCopyable(dv.mezzanine))

  const codec = ['-c:v', 'ffv1', '-pix_fmt', 'yuv444p']
  const odd = await make(
    await film(join(folder, 'odd.mkv'), 'testsrc=s=853x481:r=25:d=1', { codec, sound: null }),
    join(folder, 'odd'),
  )
  t.strictSame(sizes(odd), ['852x480', '638x360'])
  t.match(await pictureFacts(odd.at('480p.m3u8')), { pix_fmt: 'yuv420p' })

  const small = await make(
    await film(join(folder, 'small.mkv'), 'testsrc=s=213x121:r=25:d=1', { codec, sound: null }),
    join(folder, 'small'),
  )
  t.strictSame(sizes(small), ['212x120'])
})

t.test('one pixel makes a film of 2x2', async (t) => {
  const source = join(folder, 'pixel.mkv')
  const dots = ['-f', 'rawvideo', '-pix_fmt', 'gray', '-video_size', '1x1', '-framerate', '25', '-i', '/dev/zero']
  await ffmpeg(...dots, '-frames:v', '25', '-c:v', 'ffv1', source)
  const made = await make(source, join(folder, 'pixel'))
  t.strictSame(sizes(made), ['2x2'])
  t.equal(made.ladder.renditions[0]?.frames, 25)
  t.equal(await decode(made.at('master.m3u8')), '')
})

t.test('full-range colours are brought to limited range', async (t) => {
  const codec = ['-c:v', 'mjpeg', '-q:v', '2', '-pix_fmt', 'yuvj420p']
  const source = await film(join(folder, 'full.mov'), 'color=black:s=320x180:r=25:d=1', { codec, sound: null })
  const made = await make(source, join(folder, 'full'))
  t.ok(Math.abs((await colourAt(made.at('180p.m3u8'), 0.5, 0.5)).luma - 16) <= 2, 'black is 16')
})

t.test('interlaced pictures are woven into whole ones at their own rate', async (t) => {
  const codec = [...h264, '-flags', '+ildct+ilme', '-x264-params', 'tff=1']
  const comb = 'testsrc2=s=320x180:r=50:d=14,interlace=scan=tff'
  const source = await film(join(folder, 'fields.mp4'), comb, { codec, sound: null })
  const made = await make(source, join(folder, 'fields'))
  t.ok(made.mezzanine.probe.video?.interlaced)
  t.notOk(isCopyable(made.mezzanine))
  t.match(made.plan?.chunks.rate, { num: 25, den: 1 })
  t.equal(made.ladder.renditions[0]?.frames, made.mezzanine.timeline?.frames)
  const frames = await ffprobe(made.at('180p.m3u8'), 'frame=interlaced_frame', '-select_streams', 'v:0')
  t.ok(frames.every(({ interlaced_frame }) => interlaced_frame === '0'))
})

t.test('a song with a cover becomes sound alone, with the cover as its poster', async (t) => {
  const cover = join(folder, 'cover.jpg')
  await ffmpeg('-f', 'lavfi', '-i', 'color=red:s=300x300', '-frames:v', '1', cover)
  const source = join(folder, 'song.mp3')
  const tone = ['-f', 'lavfi', '-i', 'anoisesrc=c=pink:a=0.1:d=8', '-i', cover, '-map', '0', '-map', '1']
  await ffmpeg(...tone, '-c:a', 'libmp3lame', '-c:v', 'mjpeg', '-disposition:v', 'attached_pic', source)
  const made = await make(source, join(folder, 'song'))
  t.equal(made.plan, null)
  t.strictSame(
    made.ladder.renditions.map(({ name, segments }) => [name, segments]),
    [['audio', 2]],
  )
  t.match(await readFile(made.at('master.m3u8'), 'utf8'), /CODECS="mp4a\.40\.2"\naudio\.m3u8\n$/)
  t.equal(await decode(made.at('master.m3u8')), '')
  const output = join(folder, 'song.jpg')
  const { path, probe } = made.mezzanine
  t.ok(await engine.poster({ source: path, probe, output }, call))
  t.ok((await colourAt(output, 0.5, 0.5)).red > 200)
})

t.test('a thousand frames a second, one frame a second and one frame in all have sane rates', async (t) => {
  const of = async (name: string, rate: string, seconds: number) =>
    await make(
      await film(join(folder, name), bars('64x64', rate, seconds), { sound: null }),
      join(folder, `${name}-made`),
    )
  t.match((await of('rapid.mp4', '1000', 1)).plan?.chunks, { rate: { num: 1000, den: 17 }, frames: 59 })
  t.match((await of('slow.mp4', '1', 9)).plan?.chunks, { rate: { num: 1, den: 1 }, gop: 2, frames: 9 })
  const still = await of('still.mp4', '25', 0.04)
  t.equal(still.ladder.renditions[0]?.frames, 1)
})
