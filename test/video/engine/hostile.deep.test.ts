import { readdir, readFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { MediaFault } from '#tasks/video/rules/transcode/media-fault.ts'
import { ffmpeg } from '../../media/ffmpeg.ts'
import { call, engine, make, scratch } from '../../media/pipeline.ts'
import { film, h264, numbered, readNumbers } from '../../media/sources.ts'

const folder = await scratch(t)

/** The fault that an upload ends with; anything else fails the test. */
async function faultOf(source: string): Promise<MediaFault> {
  const output = join(folder, 'refused')
  try {
    await engine.mezzanine({ source, folder: output }, call)
  } catch (error) {
    if (error instanceof MediaFault && (await readdir(output).catch(() => [])).length === 0) return error
    throw error
  }
  throw new Error(`${source} was taken`)
}

t.test('truncated uploads are told apart from damaged ones', async (t) => {
  const noise = `${numbered('30', 10, '160:90')},noise=alls=20:allf=t`
  const back = await film(join(folder, 'back.mp4'), noise)
  const cut = async (from: string, to: string, share: number) => {
    const bytes = await readFile(from)
    await writeFile(join(folder, to), bytes)
    await truncate(join(folder, to), Math.floor(bytes.length * share))
    return join(folder, to)
  }
  t.equal((await faultOf(await cut(back, 'no-index.mp4', 0.6))).code, 'truncated', 'index at the end')

  const front = await film(join(folder, 'front.mp4'), noise, { more: ['-movflags', '+faststart'] })
  const fault = await faultOf(await cut(front, 'front-cut.mp4', 0.6))
  t.equal(fault.code, 'truncated', 'index in front, which remuxes with exit code 0')
  t.match(fault.message, /incomplete/)
  const mkv = await film(join(folder, 'film.mkv'), noise)
  t.equal((await faultOf(await cut(mkv, 'film-cut.mkv', 0.5))).code, 'truncated', 'Matroska')

  const mezzanine = await engine.mezzanine(
    { source: await cut(front, 'nearly.mp4', 0.985), folder: join(folder, 'nearly') },
    call,
  )
  t.ok((mezzanine.timeline?.frames ?? 0) > 280, 'the last frames alone are no reason to refuse')
})

t.test('a damaged film that players play is made with all its frames and in time', async (t) => {
  const whole = await film(join(folder, 'sound.mp4'), `${numbered('30', 8)},noise=alls=10:allf=t`, {
    codec: [...h264, '-g', '30'],
  })
  const bytes = await readFile(whole)
  for (let i = 1; i <= 10; i++)
    bytes.fill(0x55, Math.floor(bytes.length * 0.03 * i), Math.floor(bytes.length * 0.03 * i) + 40)
  const source = join(folder, 'scratched.mp4')
  await writeFile(source, bytes)
  const { ladder, at } = await make(source, join(folder, 'scratched'))
  t.equal(ladder.renditions[0]?.frames, 240)
  t.equal((await readNumbers(at('180p.m3u8'))).at(-1), 239, 'the end is where it was')
})

t.test('watermarks other than a PNG or JPEG of sane size are refused', async (t) => {
  const source = await film(join(folder, 'plain.mp4'), 'color=gray:s=320x180:r=25:d=1', { sound: null })
  const refuse = async (path: string) => {
    const fault = await make(source, join(folder, 'marked'), {
      watermark: { path, position: 'br', opacity: 0.5 },
    }).catch((e: unknown) => e)
    t.ok(fault instanceof MediaFault && fault.code === 'bad_watermark', String(fault))
  }
  const svg = join(folder, 'logo.png')
  await writeFile(svg, '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"/>')
  await refuse(svg)
  const bomb = join(folder, 'bomb.png')
  await ffmpeg('-f', 'lavfi', '-i', 'color=white:s=6000x6000', '-frames:v', '1', bomb)
  await refuse(bomb)
  const broken = join(folder, 'broken.png')
  await writeFile(broken, Buffer.from('89504e470d0a1a0a0000', 'hex'))
  await refuse(broken)
})
