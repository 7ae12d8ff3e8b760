import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { isCopyable } from '#tasks/video/rules/transcode/copyable.ts'
import { ffmpeg } from '../../media/ffmpeg.ts'
import { call, each, engine, makePicture, makeSound, scratch } from '../../media/pipeline.ts'

const folder = await scratch(t)
const at = (name: string) => join(folder, name)
const join2 = async (name: string, files: string[]) => {
  await writeFile(at(name), Buffer.concat(await Promise.all(files.map((file) => readFile(file)))))
  return at(name)
}

/** Samples of a file's sound, mono at 48 kHz. */
async function wave(path: string): Promise<Int16Array> {
  const pcm = await ffmpeg('-i', path, '-ac', '1', '-ar', '48000', '-f', 's16le', '-')
  return new Int16Array(pcm.buffer, pcm.byteOffset, pcm.length / 2)
}

/** Crossings of zero per second in a stretch of sound. */
function hertz(samples: Int16Array, from: number, to: number): number {
  const part = samples.subarray(from * 48_000, to * 48_000)
  const ups = part.filter((value, i) => i > 0 && value >= 0 && (part[i - 1] as number) < 0).length
  return ups / (to - from)
}

type Rgb = [red: number, green: number, blue: number]

/** A frame of a film, as the colours of its pixels. */
async function frameAt({ path, width, height }: { path: string; width: number; height: number }, second: number) {
  const taken = ['-vf', `trim=start=${second},format=rgb24`, '-frames:v', '1', '-f', 'rawvideo', '-']
  const pixels = await ffmpeg('-i', path, ...taken)
  const pixel = (x: number, y: number) => [0, 1, 2].map((c) => pixels[(y * width + x) * 3 + c] as number) as Rgb
  /** The mean colour of a few pixels, given in fractions of the width and height. */
  const spot = (x: number, y: number): Rgb => {
    const [left, top] = [Math.floor((width - 8) * x), Math.floor((height - 8) * y)]
    const near = Array.from({ length: 64 }, (_, i) => pixel(left + (i % 8), top + (i >> 3)))
    return [0, 1, 2].map((c) => near.reduce((sum, rgb) => sum + (rgb[c] as number), 0) / 64) as Rgb
  }
  return { width, height, pixel, spot }
}

const isBlack = (rgb: number[]) => rgb.every((value) => value < 40)

t.test('sound whose layout or rate changes on the way stays in time', async (t) => {
  const picture = ['-f', 'lavfi', '-i', 'testsrc2=s=64x36:r=25:d=3']
  const cases: [string, string, string[], string[]][] = [
    ['ac3', 'ts', ['-ac', '2', '-c:a', 'ac3'], ['-af', 'aformat=channel_layouts=5.1', '-ac', '6', '-c:a', 'ac3']],
    ['adts', 'ts', ['-ac', '2', '-c:a', 'aac'], ['-af', 'aformat=channel_layouts=5.1', '-ac', '6', '-c:a', 'aac']],
    ['mp2', 'mpg', ['-ac', '2', '-c:a', 'mp2'], ['-ac', '1', '-c:a', 'mp2']],
    ['mp3', 'mkv', ['-ac', '2', '-c:a', 'libmp3lame'], ['-ac', '1', '-ar', '44100', '-c:a', 'libmp3lame']],
  ]
  const tones = [400, 1000].flatMap((f) => ['-f', 'lavfi', '-i', `sine=f=${f}:r=48000:d=1.5`])
  const parts = cases.flatMap(([format, , ...codecs]) =>
    codecs.flatMap((codec, i) => ['-map', String(i), ...codec, '-f', format, at(`${i}.${format}`)]),
  )
  await ffmpeg(...tones, ...parts)
  await each(cases, async ([format, container]) => {
    const both = await join2(`both.${format}`, [at(`0.${format}`), at(`1.${format}`)])
    const source = at(`change-${format}.${container}`)
    await ffmpeg(...picture, '-i', both, '-map', '0', '-map', '1', '-c:v', 'mpeg2video', '-c:a', 'copy', source)
    const samples = await wave((await makeSound(source, at(`of-${format}`))).path)
    t.ok(Math.abs(samples.length / 48_000 - 3) < 0.1, `${format}: ${samples.length / 48_000} s`)
    const heard = [hertz(samples, 0.25, 1.25), hertz(samples, 1.75, 2.75)]
    t.ok(Math.abs((heard[0] ?? 0) - 400) < 10 && Math.abs((heard[1] ?? 0) - 1000) < 20, `${format}: ${heard} Hz`)
  })
})

t.test('pictures that change their shape keep it, within bars', async (t) => {
  const avc = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p']
  const part = (name: string, i: number) => ['-map', String(i), ...avc, '-output_ts_offset', String(+(i > 0)), at(name)]
  const pictures = ['red:s=160x90', 'blue:s=90x160', 'blue:s=320x180'].flatMap((picture) => [
    ...['-f', 'lavfi', '-i', `color=${picture}:r=25:d=1`],
  ])
  await ffmpeg(...pictures, ...part('wide.ts', 0), ...part('tall.ts', 1), ...part('large.ts', 2))
  const turned = await makePicture(await join2('turned.ts', [at('wide.ts'), at('tall.ts')]), at('of-turned'))
  const [first, second] = [await frameAt(turned, 0.4), await frameAt(turned, 1.5)]
  t.ok(first.spot(0.02, 0.5)[0] > 200, 'the first picture fills its box')
  t.ok(second.spot(0.5, 0.5)[2] > 200, 'the second one is in its middle')
  t.ok(second.spot(0.5, 0.02)[2] > 200, 'from its top')
  for (const x of [0.02, 0.25, 0.75, 0.98]) t.ok(isBlack(second.spot(x, 0.5)), `black at ${x}`)
  const grown = await makePicture(await join2('grown.ts', [at('wide.ts'), at('large.ts')]), at('of-grown'))
  const whole = await frameAt(grown, 1.5)
  for (const x of [0.01, 0.5, 0.99]) t.ok(whole.spot(x, 0.5)[2] > 200)
})

const fields = 'interlace=lowpass=0'
const mpeg2 = ['-c:v', 'mpeg2video', '-b:v', '2M', '-flags', '+ilme+ildct']

t.test('interlaced pictures that change their size are woven', async (t) => {
  const part = async (name: string, size: string, from: number) => {
    const picture = ['-f', 'lavfi', '-i', `testsrc2=s=${size}:r=50:d=1,${fields}`]
    await ffmpeg(...picture, ...mpeg2, '-output_ts_offset', String(from), at(name))
    return at(name)
  }
  const first = await part('first.ts', '128x72', 0)
  const square = await join2('square.ts', [first, await part('second.ts', '96x96', 1)])
  const large = await join2('large.ts', [first, await part('third.ts', '256x144', 1)])
  for (const [source, hasBars] of [[square, true] as const, [large, false] as const]) {
    const made = await makePicture(source, `${source}-made`)
    t.equal(made.mezzanine.probe.video?.interlaced, true)
    t.ok(Math.abs(made.frames - 50) <= 1, `${made.frames} frames`)
    const shown = await frameAt(made, 1.5)
    t.notOk(isBlack(shown.spot(0.5, 0.9)))
    t.equal(isBlack(shown.spot(0, 0.5)), hasBars, 'a square has bars, what is only larger has none')
  }
})

/** Width and height of what is red in a frame. */
function redBox({ width, height, pixel }: Awaited<ReturnType<typeof frameAt>>): [number, number] {
  const [across, down] = [new Set<number>(), new Set<number>()]
  for (let i = 0; i < width * height; i++) {
    const [x, y] = [i % width, Math.floor(i / width)]
    const [red, green] = pixel(x, y)
    if (red > 160 && green < 90) {
      across.add(x)
      down.add(y)
    }
  }
  return [across.size, down.size]
}

t.test('a square stays one when only the aspect of the pixels changes', async (t) => {
  const avc = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '12', '-c:a', 'aac']
  // Each has two parts, the second twice as long, of 180x144 pixels with a red box of 48 lines that is shown as a square.
  const cases = [
    {
      name: 'tv.ts',
      codecs: [...mpeg2, '-c:a', 'mp2'],
      parts: ['16/15 45', '64/45 34'],
      size: [256, 144],
      bar: [0, 0.5],
    },
    {
      name: 'tape.mpg',
      codecs: [...mpeg2.slice(0, 4), '-c:a', 'mp2'],
      parts: ['16/15 45', '64/45 34'],
      size: [256, 144],
      bar: [0, 0.5],
    },
    { name: 'hd.ts', codecs: avc, parts: ['4/3 36', '1/1 48'], size: [180, 144], bar: [0.5, 0] },
  ] as const
  await each(cases, async ({ name, codecs, parts, size, bar }) => {
    const files: string[] = []
    for (const [from, part] of parts.entries()) {
      const [aspect, width] = part.split(' ')
      const seconds = 1 + from
      const square = `color=gray:s=180x144:r=25:d=${seconds},format=yuv420p,drawbox=c=red:t=fill:x=60:y=40:w=${width}:h=48`
      const source = ['-f', 'lavfi', '-i', `${square},setsar=${aspect}`, '-f', 'lavfi', '-i', `sine=d=${seconds}`]
      files.push(at(`${from}-${name}`))
      await ffmpeg(...source, ...codecs, '-output_ts_offset', String(from), at(`${from}-${name}`))
    }
    const made = await makePicture(await join2(name, files), at(`of-${name}`))
    t.strictSame([made.width, made.height], size, `${name} is as most of it`)
    t.notOk(isCopyable(made.mezzanine), 'players would stretch some of its copy')
    t.equal(made.mezzanine.probe.audio?.start !== undefined, true, 'its sound is kept')
    const shown = [await frameAt(made, 0.4), await frameAt(made, 2)]
    for (const [width, height] of shown.map(redBox)) {
      t.ok(Math.abs(width - height) <= 3 && height > 30, `${name}: a square of ${width}x${height}`)
    }
    t.ok(isBlack((shown[0] as (typeof shown)[number]).spot(bar[0], bar[1])), 'bars about the shorter part')
  })
})

/** Mean difference between neighbouring lines of a film's frames: of upright bars it is that of fields that were not woven. */
async function combing({ path, width, height }: { path: string; width: number; height: number }): Promise<number> {
  const luma = await ffmpeg('-i', path, '-vf', 'format=gray', '-f', 'rawvideo', '-')
  let [sum, count] = [0, 0]
  for (let i = 0; i + width < luma.length; i++) {
    if (Math.floor(i / width) % height === height - 1) continue
    sum += Math.abs((luma[i] as number) - (luma[i + width] as number))
    count++
  }
  return sum / count
}

t.test('frames tell that a film is interlaced where its container does not', async (t) => {
  /** Upright bars that move by 8 pixels from field to field. */
  const bars = (size: string, seconds: number) => {
    const [width, height] = size.split('x')
    const lines = `nullsrc=s=${width}x2:r=50:d=${seconds},format=yuv420p`
    return `${lines},geq=lum='if(lt(mod(X+N*8,64),32),235,16)':cb=128:cr=128,scale=${width}:${height}:flags=neighbor`
  }
  const dv = ['-c:v', 'dvvideo', '-pix_fmt', 'yuv420p']
  const cases: [string, string, string[]][] = [
    ['camera.avi', `${bars('720x576', 0.4)},${fields}:scan=bff`, dv],
    ['camera.dv', `${bars('720x576', 0.4)},${fields}:scan=bff`, dv],
    ['tape.avi', `${bars('160x96', 1)},${fields}`, ['-c:v', 'mpeg4', '-q:v', '2', '-flags', '+ilme+ildct']],
  ]
  await each(cases, async ([name, picture, codec]) => {
    await ffmpeg('-f', 'lavfi', '-i', picture, ...codec, at(name))
    const made = await makePicture(at(name), at(`of-${name}`))
    t.match(made.mezzanine.probe.video, { interlaced: true, marked: true }, name)
    const combed = await combing(made)
    t.ok(combed < 4, `${name}: lines differ by ${combed}`)
  })
  const whole = at('whole.mp4')
  await ffmpeg('-f', 'lavfi', '-i', 'testsrc2=s=64x36:r=25:d=2', '-c:v', 'libx264', '-preset', 'ultrafast', whole)
  const { probe } = await engine.mezzanine({ source: whole, folder: at('of-whole') }, call)
  t.equal(probe.video?.interlaced, false)
})
