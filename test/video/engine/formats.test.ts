import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { isCopyable } from '#tasks/video/rules/transcode/copyable.ts'
import { ffmpeg, ffprobe } from '../../media/ffmpeg.ts'
import { colourAt } from '../../media/measure.ts'
import { call, each, engine, make, makePicture, makeSound, scratch } from '../../media/pipeline.ts'
import { film, h264 } from '../../media/sources.ts'

const folder = await scratch(t)
const at = (name: string) => join(folder, name)
const lengthOf = async (path: string) => Number((await ffprobe(path, 'format=duration'))[0]?.duration)

t.test('animated images become films, at the times of their frames and on white', async (t) => {
  // Half of it is transparent; its second second is half as fast.
  const drawn = "nullsrc=s=65x33:r=10:d=2,format=rgba,geq=r=255:g=0:b=0:a='if(lt(X,32),255,0)'"
  const slow = "setpts='if(lt(N,10),N,10+(N-10)*2)/10/TB'"
  const palette = 'split[a][b];[a]palettegen[p];[b][p]paletteuse'
  for (const [name, filter] of [
    ['drawn.gif', `${drawn},${slow},${palette}`],
    ['drawn.apng', `${drawn},${slow}`],
  ] as const) {
    await ffmpeg(
      '-f',
      'lavfi',
      '-i',
      filter,
      '-fps_mode',
      'vfr',
      ...(name.endsWith('apng') ? ['-plays', '0'] : []),
      at(name),
    )
    const made = await make(at(name), at(`of-${name}`))
    t.ok(isCopyable(made.mezzanine), `${name} can be watched at once`)
    const [picture] = made.ladder.renditions
    t.match(picture, { width: 66, height: 34 })
    const shown = made.at(`${picture?.name}.m3u8`)
    t.ok(Math.abs((await lengthOf(shown)) - 3) < 0.25, `${name}: ${await lengthOf(shown)} s`)
    const [left, right] = [await colourAt(shown, 0.1, 0.4), await colourAt(shown, 0.8, 0.4)]
    t.ok(left.red > 200 && left.luma < 120, 'red on the left')
    t.ok(right.luma > 220, 'white on the right')
  }
})

t.test('sound files of many kinds become sound', async (t) => {
  const names = 's.aiff s.caf s.ac3 s.eac3 s.w64 s.wv s.tta s.au s.dts'.split(' ')
  const dts = ['-ar', '48000', '-ac', '2', '-strict', 'experimental']
  const outputs = names.flatMap((name) => [...(name === 's.dts' ? dts : []), at(name)])
  await ffmpeg('-f', 'lavfi', '-i', 'sine=d=1', ...outputs)
  // A second of frames of silence, which Matroska does not hold: ffmpeg has no encoder of AMR here.
  const frames = Array.from({ length: 50 }, () => Buffer.concat([Buffer.from([0x3c]), Buffer.alloc(31)]))
  await writeFile(at('s.amr'), Buffer.concat([Buffer.from('#!AMR\n'), ...frames]))
  await each([...names, 's.amr'], async (name) => {
    const { mezzanine, path } = await makeSound(at(name), at(`of-${name}`))
    t.equal(mezzanine.probe.video, null, name)
    const seconds = [mezzanine.seconds, await lengthOf(path)]
    for (const length of seconds) t.ok(Math.abs(length - 1) < 0.1, `${name}: ${length} s`)
  })
  const { ladder } = await make(at('s.aiff'), at('of-all'))
  t.match(ladder.renditions, [{ name: 'audio' }])
})

/** A WAV of some channels that each have the same tone, and no layout. */
async function manyChannels(channels: number): Promise<string> {
  const [rate, seconds] = [48_000, 1]
  const data = Buffer.alloc(rate * seconds * channels * 2)
  for (let i = 0; i < rate * seconds; i++) {
    const value = Math.round(8000 * Math.sin((2 * Math.PI * 440 * i) / rate))
    for (let c = 0; c < channels; c++) data.writeInt16LE(value, (i * channels + c) * 2)
  }
  const head = Buffer.alloc(44)
  head.write('RIFF')
  head.writeUInt32LE(36 + data.length, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(channels, 22)
  head.writeUInt32LE(rate, 24)
  head.writeUInt32LE(rate * channels * 2, 28)
  head.writeUInt16LE(channels * 2, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36)
  head.writeUInt32LE(data.length, 40)
  await writeFile(at(`${channels}.wav`), Buffer.concat([head, data]))
  return at(`${channels}.wav`)
}

t.test('sound of more channels than ffmpeg knows a layout of is mixed to stereo', async (t) => {
  await each([9, 10, 12, 16], async (channels) => {
    const wav = await manyChannels(channels)
    const source = at(`${channels}.mov`)
    const picture = ['-f', 'lavfi', '-i', 'testsrc2=s=64x36:r=25:d=1']
    await ffmpeg(...picture, '-i', wav, '-map', '0', '-map', '1', ...h264, '-c:a', 'copy', source)
    const { mezzanine, path } = await makeSound(source, at(`of-${channels}`))
    t.equal(mezzanine.timeline?.frames, 25, `${channels} channels`)
    const pcm = await ffmpeg('-i', path, '-af', 'atrim=0.2:0.8', '-f', 's16le', '-')
    const wave = new Int16Array(pcm.buffer, pcm.byteOffset, pcm.length / 2)
    const peak = (side: number) => wave.reduce((most, value, i) => (i % 2 === side ? Math.max(most, value) : most), 0)
    for (const side of [0, 1]) t.ok(peak(side) > 5000 && peak(side) < 10_000, `${channels}: a peak of ${peak(side)}`)
  })
})

/** Sets the matrix of a film's picture track (ISO/IEC 14496-12, 8.3.2), whose numbers are of 16.16 bits. */
async function withMatrix(source: string, name: string, [a, b, c, d]: [number, number, number, number]) {
  const bytes = await readFile(source)
  // Behind its version, times, layer and volume.
  const matrix = bytes.indexOf('tkhd') + 4 + 40
  for (const [i, value] of [a, b, 0, c, d, 0].entries()) bytes.writeInt32BE(value * 0x1_0000, matrix + i * 4)
  await writeFile(at(name), bytes)
  return at(name)
}

t.test('a picture that is stored upside down or as in a mirror is turned, and not copied', async (t) => {
  const halves = 'color=blue:s=64x36:r=25:d=1,drawbox=c=red:t=fill:h=18'
  const flat = await film(at('flat.mp4'), halves, { sound: null })
  t.ok(isCopyable(await engine.mezzanine({ source: flat, folder: at('of-flat') }, call)))
  const over = await makePicture(await withMatrix(flat, 'over.mp4', [1, 0, 0, -1]), at('of-over'))
  t.notOk(isCopyable(over.mezzanine))
  t.ok((await colourAt(over.path, 0.45, 0.8)).red > 200, 'red below')
  t.ok((await colourAt(over.path, 0.45, 0.1)).blue > 200, 'blue above')
  const mirrored = await withMatrix(flat, 'mirrored.mp4', [-1, 0, 0, 1])
  t.notOk(isCopyable(await engine.mezzanine({ source: mirrored, folder: at('of-mirrored') }, call)))
})

t.test('what cannot be converted is refused with its reason', async (t) => {
  const webp = at('drawn.webp')
  await ffmpeg('-f', 'lavfi', '-i', 'testsrc2=s=64x36:r=10:d=1', '-c:v', 'libwebp_anim', webp)
  await t.rejects(engine.probe(webp, call), { code: 'not_media', message: /Animated WebP.*GIF, APNG or MP4/ })
  const stills = ['still.png', 'still.jpg', 'still.webp', 'still.bmp', 'still.tiff']
  const outputs = stills.flatMap((name) => ['-frames:v', '1', at(name)])
  await ffmpeg('-f', 'lavfi', '-i', 'testsrc2=s=64x36:d=0.04', ...outputs)
  for (const name of stills) {
    await t.rejects(engine.probe(at(name), call), { code: 'not_media', message: /still image/ }, name)
  }
  const hevc = ['-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', 'log-level=none', '-pix_fmt', 'yuv420p10le']
  const plain = await film(at('plain.mp4'), 'testsrc2=s=64x36:r=25:d=1', { codec: hevc, sound: null })
  const bytes = await readFile(plain)
  // A record of Dolby Vision in the place of two boxes that say nothing: profile 5, base layer of no other kind.
  const from = bytes.indexOf('pasp') - 4
  const record = Buffer.alloc(36)
  record.writeUInt32BE(36)
  record.write('dvcC', 4)
  record.set([1, 0, 5 << 1, (1 << 3) | 0b101, 0], 8)
  t.equal(bytes.toString('latin1', from + 20, from + 24), 'btrt')
  record.copy(bytes, from)
  await writeFile(at('vision.mp4'), bytes)
  await t.rejects(engine.probe(at('vision.mp4'), call), {
    code: 'unsupported_colours',
    message: /Dolby Vision profile 5/,
  })
  // Of profile 8.1 the base layer is HDR10.
  bytes.set([1, 0, 8 << 1, (1 << 3) | 0b101, 1 << 4], from + 8)
  await writeFile(at('vision-8.mp4'), bytes)
  t.equal((await engine.probe(at('vision-8.mp4'), call)).video?.codec, 'hevc')
})
