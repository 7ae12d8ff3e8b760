import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { isCopyable } from '#tasks/video/copyable.ts'
import { ffmpeg, ffprobe } from '../../media/ffmpeg.ts'
import { decode, decodeTimes, rises, segmentLengths, soundLead } from '../../media/measure.ts'
import { call, engine, make, scratch } from '../../media/pipeline.ts'
import { film, h264 } from '../../media/sources.ts'

const folder = await scratch(t)

// A white flash and a beep begin together at each whole second from 1 on.
const flash = (rate: string, seconds: number, size: string) =>
  `color=black:s=${size}:r=${rate}:d=${seconds},drawbox=c=white:t=fill:enable='gte(t,1)*lt(mod(t,1),0.1)'`
const beep = (seconds: number) => `aevalsrc='if(gte(t,1)*lt(mod(t,1),0.1),0.8*sin(2*PI*1000*t),0)':s=48000:d=${seconds}`

/** When the first flash and the first beep come out of a decoder that takes packets as they lie, in seconds. */
async function onsets(video: string, audio: string) {
  const frames = await ffmpeg(
    '-i',
    video,
    '-vf',
    'scale=1:1:flags=area,format=gray',
    '-fps_mode',
    'passthrough',
    '-f',
    'rawvideo',
    '-',
  )
  const times = await ffprobe(video, 'frame=pts_time', '-select_streams', 'v:0')
  const [start] = await ffprobe(audio, 'packet=pts_time', '-read_intervals', '%+#1')
  const samples = await ffmpeg('-i', audio, '-ac', '1', '-ar', '48000', '-f', 's16le', '-')
  const at = Array.from({ length: samples.length / 2 }, (_, i) => samples.readInt16LE(i * 2)).findIndex(
    (level) => Math.abs(level) > 2000,
  )
  return {
    flash: Number(times[frames.findIndex((luma) => luma > 100)]?.pts_time),
    beep: Number(start?.pts_time) + at / 48_000,
  }
}

t.test('a ladder of two', async (t) => {
  const source = await film(join(folder, 'flash.mp4'), `${flash('30', 27, '854x480')},noise=alls=6:allf=t`, {
    sound: beep(27),
  })
  const { ladder, plan, at } = await make(source, join(folder, 'flash'))
  const playlists = ['480p.m3u8', '360p.m3u8']

  t.test('cuts all renditions at the same frames, 6.000 s each but the last', async (t) => {
    const lengths = await Promise.all(playlists.map(async (name) => segmentLengths(await readFile(at(name), 'utf8'))))
    t.strictSame(lengths, [
      [6, 6, 6, 6, 3],
      [6, 6, 6, 6, 3],
    ])
    const starts = await Promise.all(
      playlists.map(async (name) =>
        (await ffprobe(at(name), 'packet=pts_time,flags')).filter(({ flags }) => flags?.includes('K')),
      ),
    )
    t.strictSame(starts[0], starts[1], 'key frames at the same times')
    t.equal(starts[0]?.length, 14, 'every two seconds')
  })

  t.test('decodes without a complaint, and its decode times rise throughout', async (t) => {
    for (const name of [...playlists, 'audio.m3u8']) {
      t.equal(await decode(at(name)), '', name)
      t.ok(rises(await decodeTimes(at(name))), `${name} rises`)
    }
    t.ok(ladder.renditions.slice(0, 2).every(({ frames }) => frames === 810 && frames === plan?.chunks.frames))
  })

  t.test(
    'has no more than 10 ms between sound and picture, by tfdt and edit lists and by what is seen and heard',
    async (t) => {
      t.ok(Math.abs(await soundLead(ladder)) <= 0.01, `late by ${await soundLead(ladder)} s`)
      const { flash, beep } = await onsets(at('480p.m3u8'), at('audio.m3u8'))
      t.ok(Math.abs(beep - flash) <= 0.01, `flash at ${flash}, beep at ${beep}`)
    },
  )

  t.test('tells in its master playlist what its segments measure', async (t) => {
    const master = await readFile(at('master.m3u8'), 'utf8')
    const sizes = await Promise.all([0, 1, 2, 3, 4].map(async (i) => (await stat(at(`480p_0000${i}.m4s`))).size * 8))
    const sound = ladder.renditions.find(({ name }) => name === 'audio')
    const peak = Math.ceil(Math.max(...sizes.map((bits, i) => bits / (i < 4 ? 6 : 3)))) + (sound?.peakBitRate ?? 0)
    const mean = Math.ceil(sizes.reduce((sum, bits) => sum + bits, 0) / 27) + (sound?.meanBitRate ?? 0)
    t.match(
      master,
      `BANDWIDTH=${peak},AVERAGE-BANDWIDTH=${mean},CODECS="avc1.64001f,mp4a.40.2",RESOLUTION=854x480,FRAME-RATE=30.000,AUDIO="audio"`,
    )
    t.match(master, /^#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-INDEPENDENT-SEGMENTS\n/)
    t.ok(master.indexOf('480p.m3u8') < master.indexOf('360p.m3u8'), 'the best first')
    t.equal(await decode(at('master.m3u8')), '')
  })

  t.test('lists every file that is in its folder, and the master playlist last', async (t) => {
    t.strictSame(ladder.files.toSorted(), (await readdir(ladder.folder)).toSorted())
    t.equal(ladder.files.at(-1), 'master.m3u8')
  })
  t.end()
})

t.test('a source that plays as it is becomes a package with its own frames and its own A/V offset', async (t) => {
  const source = await film(join(folder, 'plain.mp4'), flash('25', 8, '320x180'), {
    sound: beep(8),
    codec: [...h264, '-g', '50'],
  })
  const mezzanine = await engine.mezzanine({ source, folder: join(folder, 'plain') }, call)
  t.ok(isCopyable(mezzanine))
  const copy = await engine.packageCopy({ mezzanine, folder: join(folder, 'plain', 'copy') }, call)
  t.match(copy.renditions, [{ name: 'source', frames: 200, width: 320, height: 180 }, { name: 'audio' }])
  t.ok(Math.abs((await soundLead(copy)) + 1024 / 48_000) <= 0.001, `priming goes before: ${await soundLead(copy)} s`)
  const { flash: seen, beep: heard } = await onsets(join(copy.folder, 'source.m3u8'), join(copy.folder, 'audio.m3u8'))
  t.ok(Math.abs(heard - seen) <= 0.01, `flash at ${seen}, beep at ${heard}`)
  for (const name of ['source.m3u8', 'audio.m3u8']) {
    t.equal(await decode(join(copy.folder, name)), '', name)
    t.ok(rises(await decodeTimes(join(copy.folder, name))), `${name} rises`)
  }
})

t.test('sound that starts later than the picture stays late by as much, in both packages', async (t) => {
  const whole = await film(join(folder, 'late-whole.mp4'), flash('25', 6, '320x180'), {
    sound: beep(6),
    codec: [...h264, '-g', '50'],
  })
  const source = join(folder, 'late.mp4')
  await ffmpeg('-i', whole, '-itsoffset', '0.5', '-i', whole, '-map', '0:v', '-map', '1:a', '-c', 'copy', source)
  const { mezzanine, ladder, at } = await make(source, join(folder, 'late'))
  t.ok(Math.abs(await soundLead(ladder)) <= 0.01)
  const made = await onsets(at(ladder.renditions[0]?.playlist ?? ''), at('audio.m3u8'))
  t.ok(Math.abs(made.beep - made.flash - 0.5) <= 0.01, `ladder: flash at ${made.flash}, beep at ${made.beep}`)
  const copy = await engine.packageCopy({ mezzanine, folder: join(folder, 'late', 'copy') }, call)
  t.ok(Math.abs((await soundLead(copy)) + 1024 / 48_000 - 0.5) <= 0.001, `copy: late by ${await soundLead(copy)} s`)
})

t.test('chunks that were not encoded alike, or hold too few frames, are not joined', async (t) => {
  const source = await film(join(folder, 'mixed.mp4'), flash('25', 3, '320x180'), { sound: null })
  const { plan } = await make(source, join(folder, 'mixed'))
  if (!plan) throw new Error('no plan')
  const parts = join(folder, 'mixed', 'parts')
  const wanted = { ...plan, chunks: { ...plan.chunks, frames: plan.chunks.frames + 1 } }
  const output = join(folder, 'mixed', 'again')
  await t.rejects(
    engine.packageLadder({ parts, plan: wanted, audio: false, folder: output }, call),
    /hold 75 of 76 frames/,
  )
  await film(join(parts, '180p_00001.mp4'), flash('25', 1, '160x90'), { sound: null })
  const two = { ...plan, chunks: { ...plan.chunks, count: 2, frames: 100 } }
  await t.rejects(engine.packageLadder({ parts, plan: two, audio: false, folder: output }, call), /another encoder/)
  t.strictSame(await readdir(output), [], 'nothing is left')
})
