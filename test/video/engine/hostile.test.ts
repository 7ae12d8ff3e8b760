import { randomBytes } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { MediaFault, type MediaFaultCode } from '#tasks/video/rules/transcode/media-fault.ts'
import { createMediaEngine } from '../../../workers/media/engine.ts'
import { repeatTrack } from '../../media/corpus/damage.ts'
import { ffmpeg } from '../../media/ffmpeg.ts'
import { segmentLengths, soundLead } from '../../media/measure.ts'
import { call, engine, make, scratch } from '../../media/pipeline.ts'
import { film, numbered } from '../../media/sources.ts'

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

async function refuses(t: Test, name: string, content: string | Buffer, code: MediaFaultCode) {
  const path = join(folder, name)
  await writeFile(path, content)
  const fault = await faultOf(path)
  t.equal(fault.code, code, fault.evidence)
  t.match(fault.message, /^The [^/]+\.$/, 'a sentence without paths')
  return fault
}

t.test('what is not media is refused in plain English', async (t) => {
  await refuses(t, 'empty.mp4', '', 'empty')
  await refuses(t, 'random.mp4', randomBytes(300_000), 'not_media')
  await refuses(t, 'note.mp4', 'just a note\n'.repeat(5_000), 'not_media')
  await refuses(
    t,
    'picture.mp4',
    '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><rect width="5" height="5"/></svg>',
    'not_media',
  )
  await refuses(t, 'subtitles.mp4', '1\n00:00:01,000 --> 00:00:02,000\nHello\n', 'not_media')
})

t.test('a playlist or a list of files that is named .mp4 does not read the local file it points at', async (t) => {
  const secret = await film(join(folder, 'secret.ts'), numbered('25', 2))
  const hls = `#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\nfile://${secret}\n#EXT-X-ENDLIST\n`
  await refuses(t, 'playlist.mp4', hls, 'not_media')
  await refuses(t, 'relative.mp4', hls.replace(`file://${secret}`, 'secret.ts'), 'not_media')
  await refuses(t, 'list.mp4', 'ffconcat version 1.0\nfile secret.ts\n', 'not_media')
  await refuses(t, 'absolute.mp4', `ffconcat version 1.0\nfile ${secret}\n`, 'not_media')
  await refuses(t, 'dash.mp4', '<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011"></MPD>', 'not_media')
})

t.test('a header that promises 16384x16384 pixels is refused before a frame is decoded', async (t) => {
  const small = await film(join(folder, 'small.mp4'), 'color=black:s=16x16:r=1:d=1', {
    sound: null,
    codec: ['-c:v', 'mjpeg'],
  })
  const bytes = await readFile(small)
  // The frame header of JPEG (SOF0: height, width) and the sample description of MP4 (width, height).
  bytes.writeUInt32BE(0x40004000, bytes.indexOf(Buffer.from('ffc0001108', 'hex')) + 5)
  bytes.writeUInt32BE(0x40004000, bytes.indexOf('mp4v') + 28)
  const source = join(folder, 'bomb.mp4')
  await writeFile(source, bytes)
  const started = process.hrtime.bigint()
  t.equal((await faultOf(source)).code, 'too_large')
  t.ok(Number(process.hrtime.bigint() - started) < 5e9)
})

t.test('a film of nothing but broken pictures is called damaged', async (t) => {
  const whole = await film(join(folder, 'good.mp4'), numbered('30', 2), {
    sound: null,
    more: ['-movflags', '+faststart'],
  })
  const bytes = await readFile(whole)
  const media = bytes.indexOf('mdat') + 4
  bytes.fill(0, media)
  const source = join(folder, 'zeroes.mp4')
  await writeFile(source, bytes)
  const fault = await make(source, join(folder, 'zeroes')).catch((error: unknown) => error)
  t.equal((fault as MediaFault).code, 'corrupt', String(fault))
})

t.test('audio that cannot be decoded is silence beside pictures, and damage alone', async (t) => {
  const garble = async (path: string) => {
    const tone = join(folder, 'tone.aac')
    await ffmpeg('-i', path, '-vn', '-c', 'copy', tone)
    const [bytes, frames] = await Promise.all([readFile(path), readFile(tone)])
    // ADTS (ISO/IEC 13818-7 §6.2) tells the length of each frame, which lies in the film without its head of 7 bytes.
    for (let at = 0, length = 0; at + 7 < frames.length; at += length) {
      length = (frames.readUIntBE(at + 3, 3) >> 5) & 0x1fff
      const found = bytes.indexOf(frames.subarray(at + 7, at + length))
      bytes.fill(0xaa, found, found + length - 7)
    }
    await writeFile(path, bytes)
    return path
  }
  const tone = join(folder, 'tone.m4a')
  await ffmpeg('-f', 'lavfi', '-i', 'sine=d=2:r=48000', '-c:a', 'aac', tone)
  const alone = await make(await garble(tone), join(folder, 'alone')).catch((error: unknown) => error)
  t.equal((alone as MediaFault).code, 'corrupt', String(alone))
  const source = await garble(await film(join(folder, 'both.mp4'), numbered('25', 2)))
  const { ladder, at } = await make(source, join(folder, 'both'))
  t.strictSame(
    ladder.renditions.map(({ name }) => name),
    ['180p', 'audio'],
  )
  const lead = await soundLead(ladder)
  t.ok(Math.abs(lead) < 0.001, `${lead}`)
  t.ok(Math.abs(segmentLengths(await readFile(at('audio.m3u8'), 'utf8')).reduce((a, b) => a + b) - 2) < 0.05)
})

t.test('a file of ten thousand tracks is refused in words, and does not take a gigabyte to be', async (t) => {
  const one = await readFile(await film(join(folder, 'one.mp4'), 'color=black:s=16x16:r=25:d=1', { sound: null }))
  const crowd = repeatTrack(one, 10_000)
  const fault = await refuses(t, 'crowd.mp4', crowd, 'too_many_tracks')
  t.match(fault.message, /more tracks/)
  const poor = createMediaEngine({ nice: 0, memoryBytes: 400 * 2 ** 20 })
  const many = join(folder, 'many.mp4')
  await writeFile(many, repeatTrack(one, 900))
  await t.rejects(poor.probe(many, call), { code: 'too_many_tracks' })
})
