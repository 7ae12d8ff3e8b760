import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { isCopyable } from '#tasks/video/rules/transcode/copyable.ts'
import { ffmpeg, ffprobe } from '../../media/ffmpeg.ts'
import { colourAt, pictureFacts } from '../../media/measure.ts'
import { call, engine, type Made, make, scratch } from '../../media/pipeline.ts'
import { film, h264 } from '../../media/sources.ts'

const folder = await scratch(t)

const bars = (size: string, rate = '25', seconds = 1) => `testsrc2=s=${size}:r=${rate}:d=${seconds}`
const sizes = ({ plan }: Made) => plan?.renditions.map(({ width, height }) => `${width}x${height}`)

t.test('a picture stored sideways is made upright, and its size told so', async (t) => {
  // Left half red: turned clockwise it is the upper half.
  const halves = 'color=blue:s=640x360:r=25:d=1,drawbox=c=red:t=fill:w=320'
  const flat = await film(join(folder, 'flat.mov'), halves, { sound: null })
  const source = join(folder, 'sideways.mov')
  await ffmpeg('-i', flat, '-c', 'copy', '-metadata:s:v', 'rotate=270', source)
  const made = await make(source, join(folder, 'sideways'))
  t.equal(made.mezzanine.probe.video?.rotation, 90)
  t.strictSame(sizes(made), ['360x640'])
  t.match(await pictureFacts(made.at('360p.m3u8')), { width: '360', height: '640' })
  t.ok((await colourAt(made.at('360p.m3u8'), 0.45, 0.1)).red > 200, 'red above')
  t.ok((await colourAt(made.at('360p.m3u8'), 0.45, 0.8)).blue > 200, 'blue below')
  t.notOk(isCopyable(made.mezzanine), 'not every player turns it')
  const poster = join(folder, 'sideways.jpg')
  const { path, probe } = made.mezzanine
  t.ok(await engine.poster({ source: path, probe, output: poster }, call))
  t.match(await pictureFacts(poster), { width: '360', height: '640' })
})

for (const [name, transfer] of [
  ['HDR10', 'smpte2084'],
  ['HLG', 'arib-std-b67'],
] as const) {
  t.test(`${name} is brought to the colours of ordinary screens`, async (t) => {
    const tags = `colorprim=bt2020:transfer=${transfer}:colormatrix=bt2020nc:log-level=none`
    const codec = ['-c:v', 'libx265', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p10le', '-x265-params', tags]
    const source = await film(join(folder, `${name}.mp4`), bars('640x360', '25', 1), { codec, sound: null })
    const made = await make(source, join(folder, name))
    t.equal(made.mezzanine.probe.video?.range, name === 'HLG' ? 'hlg' : 'pq')
    t.match(await pictureFacts(made.at('360p.m3u8')), { pix_fmt: 'yuv420p', color_transfer: 'bt709' })
    t.equal(made.ladder.renditions[0]?.frames, 25)
  })
}

t.test('a film without sound has a ladder without sound', async (t) => {
  const made = await make(
    await film(join(folder, 'silent.mp4'), bars('320x180', '30', 2), { sound: null }),
    join(folder, 'silent'),
  )
  t.strictSame(
    made.ladder.renditions.map(({ name }) => name),
    ['180p'],
  )
  t.equal(made.ladder.renditions[0]?.frames, 60, 'two seconds, all of them')
  const master = await readFile(made.at('master.m3u8'), 'utf8')
  t.notMatch(master, /AUDIO|mp4a/)
  const copy = await engine.packageCopy({ mezzanine: made.mezzanine, folder: join(folder, 'silent', 'copy') }, call)
  t.strictSame(
    copy.renditions.map(({ name, frames }) => [name, frames]),
    [['source', 60]],
  )
})

t.test('sound of any layout becomes 48 kHz stereo', async (t) => {
  const layouts = [
    ['mono', 'sine=f=440:d=2:r=22050', ['-c:a', 'aac']],
    ['5.1', 'aevalsrc=0.1*sin(440*t)|0|0|0|0|0:c=5.1:d=2', ['-c:a', 'ac3']],
    ['pcm', 'aevalsrc=0.1*sin(440*t)|0|0:c=3.0:d=2:s=96000', ['-c:a', 'pcm_s24le']],
  ] as const
  for (const [name, sound, codec] of layouts) {
    const source = join(folder, `${name}.mov`)
    await ffmpeg('-f', 'lavfi', '-i', bars('320x180', '25', 2), '-f', 'lavfi', '-i', sound, ...h264, ...codec, source)
    const made = await make(source, join(folder, name))
    const [stream] = await ffprobe(
      made.at('audio.m3u8'),
      'stream=codec_name,sample_rate,channels',
      '-select_streams',
      'a:0',
    )
    t.match(stream, { codec_name: 'aac', sample_rate: '48000', channels: '2' }, name)
  }
})

t.test('a watermark shows in its corner, on every rendition and nowhere else', async (t) => {
  const logo = join(folder, 'logo.png')
  await ffmpeg('-f', 'lavfi', '-i', 'color=white:s=200x100', '-frames:v', '1', logo)
  const source = await film(join(folder, 'dark.mp4'), 'color=black:s=854x480:r=25:d=1', { sound: null })
  const made = await make(source, join(folder, 'dark'), { watermark: { path: logo, position: 'br', opacity: 0.5 } })
  for (const name of ['480p.m3u8', '360p.m3u8']) {
    t.ok(Math.abs((await colourAt(made.at(name), 0.86, 0.87)).luma - 125) < 12, `half white below right in ${name}`)
    t.ok((await colourAt(made.at(name), 0.05, 0.05)).luma < 20, 'black above left')
  }
})

t.test('the scratch folder holds the results and nothing else', async (t) => {
  const left = await readdir(folder, { recursive: true })
  t.strictSame(
    left.filter((name) => /\.part-|ffconcat|\.tmp/.test(name)),
    [],
  )
})
