import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { ffmpeg, ffprobe } from '../../media/ffmpeg.ts'
import { call, engine, type Made, make, scratch } from '../../media/pipeline.ts'

const folder = await scratch(t)
const at = (name: string) => join(folder, name)
const join2 = async (name: string, files: string[]) => {
  await writeFile(at(name), Buffer.concat(await Promise.all(files.map((file) => readFile(file)))))
  return at(name)
}

/** Samples of a playlist's sound, mono at 48 kHz. */
async function wave(playlist: string): Promise<Int16Array> {
  const pcm = await ffmpeg('-i', playlist, '-ac', '1', '-ar', '48000', '-f', 's16le', '-')
  return new Int16Array(pcm.buffer, pcm.byteOffset, pcm.length / 2)
}

/** Crossings of zero per second in a stretch of sound. */
function hertz(samples: Int16Array, from: number, to: number): number {
  const part = samples.subarray(from * 48_000, to * 48_000)
  const ups = part.filter((value, i) => i > 0 && value >= 0 && (part[i - 1] as number) < 0).length
  return ups / (to - from)
}

/** The colour in the middle of a small part of a frame, given in fractions of its width and height. */
async function colour(playlist: string, second: number, x: number, y: number): Promise<number[]> {
  const spot = `trim=start=${second},crop=w=8:h=8:x=(iw-8)*${x}:y=(ih-8)*${y},scale=1:1:flags=area,format=rgb24`
  return [...(await ffmpeg('-i', playlist, '-vf', spot, '-frames:v', '1', '-f', 'rawvideo', '-'))].slice(0, 3)
}

const isBlack = (rgb: number[]) => rgb.every((value) => value < 40)

t.test('sound whose layout or rate changes on the way stays in time', async (t) => {
  const picture = ['-f', 'lavfi', '-i', 'testsrc2=s=64x36:r=25:d=6']
  const cases: [string, string, string[], string[]][] = [
    ['ac3', 'ts', ['-ac', '2', '-c:a', 'ac3'], ['-af', 'aformat=channel_layouts=5.1', '-ac', '6', '-c:a', 'ac3']],
    ['adts', 'ts', ['-ac', '2', '-c:a', 'aac'], ['-af', 'aformat=channel_layouts=5.1', '-ac', '6', '-c:a', 'aac']],
    ['mp2', 'mpg', ['-ac', '2', '-c:a', 'mp2'], ['-ac', '1', '-c:a', 'mp2']],
    ['mp3', 'mkv', ['-ac', '2', '-c:a', 'libmp3lame'], ['-ac', '1', '-ar', '44100', '-c:a', 'libmp3lame']],
  ]
  for (const [format, container, first, second] of cases) {
    const tone = async (f: number, codec: string[]) => {
      const path = at(`${f}.${format}`)
      await ffmpeg('-f', 'lavfi', '-i', `sine=f=${f}:r=48000:d=3`, ...codec, '-f', format, path)
      return path
    }
    const both = await join2(`both.${format}`, [await tone(400, first), await tone(1000, second)])
    const source = at(`change-${format}.${container}`)
    await ffmpeg(...picture, '-i', both, '-map', '0', '-map', '1', '-c:v', 'mpeg2video', '-c:a', 'copy', source)
    const made = await make(source, at(`of-${format}`))
    const samples = await wave(made.at('audio.m3u8'))
    t.ok(Math.abs(samples.length / 48_000 - 6) < 0.1, `${format}: ${samples.length / 48_000} s`)
    const heard = [hertz(samples, 0.5, 2.5), hertz(samples, 3.4, 5.4)]
    t.ok(Math.abs((heard[0] ?? 0) - 400) < 10 && Math.abs((heard[1] ?? 0) - 1000) < 20, `${format}: ${heard} Hz`)
  }
})

t.test('pictures that change their shape keep it, within bars', async (t) => {
  const avc = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p']
  const part = async (name: string, picture: string, ...more: string[]) => {
    await ffmpeg('-f', 'lavfi', '-i', picture, ...avc, ...more, at(name))
    return at(name)
  }
  const later = ['-output_ts_offset', '2']
  const wide = await part('wide.ts', 'color=red:s=160x90:r=25:d=2')
  const tall = await part('tall.ts', 'color=blue:s=90x160:r=25:d=2', ...later)
  const large = await part('large.ts', 'color=blue:s=320x180:r=25:d=2', ...later)
  const turned = await make(await join2('turned.ts', [wide, tall]), at('of-turned'))
  const shown = turned.at('90p.m3u8')
  t.ok(((await colour(shown, 1, 0.02, 0.5))[0] as number) > 200, 'the first picture fills its box')
  t.ok(((await colour(shown, 3, 0.5, 0.5))[2] as number) > 200, 'the second one is in its middle')
  t.ok(((await colour(shown, 3, 0.5, 0.02))[2] as number) > 200, 'from its top')
  for (const x of [0.02, 0.25, 0.75, 0.98]) t.ok(isBlack(await colour(shown, 3, x, 0.5)), `black at ${x}`)
  const grown = await make(await join2('grown.ts', [wide, large]), at('of-grown'))
  for (const x of [0.01, 0.5, 0.99]) t.ok(((await colour(grown.at('90p.m3u8'), 3, x, 0.5))[2] as number) > 200)
})

const fields = 'interlace=lowpass=0'
const mpeg2 = ['-c:v', 'mpeg2video', '-b:v', '2M', '-flags', '+ilme+ildct']

t.test('interlaced pictures that change their size are woven', async (t) => {
  const part = async (name: string, size: string, more: string[] = []) => {
    await ffmpeg('-f', 'lavfi', '-i', `testsrc2=s=${size}:r=50:d=2,${fields}`, ...mpeg2, ...more, at(name))
    return at(name)
  }
  const later = ['-output_ts_offset', '2']
  const first = await part('first.ts', '128x72')
  const square = await make(await join2('square.ts', [first, await part('second.ts', '96x96', later)]), at('of-square'))
  const large = await make(await join2('large.ts', [first, await part('third.ts', '256x144', later)]), at('of-large'))
  for (const made of [square, large]) {
    t.equal(made.mezzanine.probe.video?.interlaced, true)
    t.ok(Math.abs((made.ladder.renditions[0]?.frames ?? 0) - 100) <= 1)
    t.notOk(isBlack(await colour(made.at('72p.m3u8'), 3.5, 0.5, 0.9)))
  }
  t.ok(isBlack(await colour(square.at('72p.m3u8'), 3.5, 0, 0.5)), 'a square has bars')
  t.notOk(isBlack(await colour(large.at('72p.m3u8'), 3.5, 0, 0.5)), 'what is only larger has none')
})

/** Width and height of what is red in a frame of a playlist. */
async function redBox({ at, ladder }: Made, second: number): Promise<[number, number]> {
  const [{ name, width } = { name: '', width: 0 }] = ladder.renditions
  const frame = ['-vf', `trim=start=${second},format=rgb24`, '-frames:v', '1', '-f', 'rawvideo', '-']
  const pixels = await ffmpeg('-i', at(`${name}.m3u8`), ...frame)
  const red = Array.from({ length: pixels.length / 3 }, (_, i) => i).filter(
    (i) => (pixels[i * 3] as number) > 160 && (pixels[i * 3 + 1] as number) < 90,
  )
  const length = (places: number[]) => Math.max(...places) - Math.min(...places) + 1
  return [length(red.map((i) => i % Number(width))), length(red.map((i) => Math.floor(i / Number(width))))]
}

t.test('a square stays one when only the aspect of the pixels changes', async (t) => {
  const cases: [string, string[]][] = [
    ['tv.ts', [...mpeg2, '-c:a', 'mp2']],
    ['tape.mpg', [...mpeg2.slice(0, 4), '-c:a', 'mp2']],
    ['hd.ts', ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '12', '-c:a', 'aac']],
  ]
  for (const [name, codecs] of cases) {
    // 4:3, and twice as long 16:9, each with a square as wide as a quarter of 4:3.
    const part = async (aspect: string, width: number, seconds: number, from: number) => {
      const square = `color=gray:s=180x144:r=25:d=${seconds},format=yuv420p,drawbox=c=red:t=fill:x=60:y=40:w=${width}:h=48`
      const source = ['-f', 'lavfi', '-i', `${square},setsar=${aspect}`, '-f', 'lavfi', '-i', `sine=d=${seconds}`]
      await ffmpeg(...source, ...codecs, '-output_ts_offset', String(from), at(`${from}-${name}`))
      return at(`${from}-${name}`)
    }
    const source = await join2(name, [await part('16/15', 45, 1, 0), await part('64/45', 34, 2, 1)])
    const made = await make(source, at(`of-${name}`))
    t.match(made.ladder.renditions, [{ width: 256, height: 144 }, { name: 'audio' }], `${name} is as most of it`)
    for (const second of [0.4, 2]) {
      const [width, height] = await redBox(made, second)
      t.ok(Math.abs(width - 48) <= 3 && Math.abs(height - 48) <= 3, `${name}: ${width}x${height} at ${second} s`)
    }
    t.ok(isBlack(await colour(made.at('144p.m3u8'), 0.4, 0.01, 0.5)), 'bars beside 4:3')
  }
})

/** Mean difference between neighbouring lines of a playlist's frames: of upright bars it is that of fields that were not woven. */
async function combing(playlist: string): Promise<number> {
  const [stream] = await ffprobe(playlist, 'stream=width,height', '-select_streams', 'v')
  const [width, height] = [Number(stream?.width), Number(stream?.height)]
  const luma = await ffmpeg('-i', playlist, '-vf', 'format=gray', '-f', 'rawvideo', '-')
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
    ['camera.avi', `${bars('720x576', 0.8)},${fields}:scan=bff`, dv],
    ['camera.dv', `${bars('720x576', 0.8)},${fields}:scan=bff`, dv],
    ['tape.avi', `${bars('160x96', 2)},${fields}`, ['-c:v', 'mpeg4', '-q:v', '2', '-flags', '+ilme+ildct']],
  ]
  for (const [name, picture, codec] of cases) {
    await ffmpeg('-f', 'lavfi', '-i', picture, ...codec, at(name))
    const made = await make(at(name), at(`of-${name}`))
    t.match(made.mezzanine.probe.video, { interlaced: true, marked: true }, name)
    const combed = await combing(made.at(`${made.plan?.renditions[0]?.name}.m3u8`))
    t.ok(combed < 4, `${name}: lines differ by ${combed}`)
  }
  const whole = at('whole.mp4')
  await ffmpeg('-f', 'lavfi', '-i', 'testsrc2=s=64x36:r=25:d=2', '-c:v', 'libx264', '-preset', 'ultrafast', whole)
  const { probe } = await engine.mezzanine({ source: whole, folder: at('of-whole') }, call)
  t.equal(probe.video?.interlaced, false)
})
