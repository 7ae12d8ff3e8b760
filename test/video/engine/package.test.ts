import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { isCopyable } from '#tasks/video/rules/transcode/copyable.ts'
import { ffmpeg, ffprobe } from '../../media/ffmpeg.ts'
import { decode, decodeTimes, rises, segmentLengths, soundLead } from '../../media/measure.ts'
import { call, engine, make, scratch } from '../../media/pipeline.ts'
import { film, h264 } from '../../media/sources.ts'
import { attributesOf, toldAndMeasured } from '../../media/variants.ts'

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
  // A patch of noise, so that no two pictures are alike.
  const noise = 'color=gray:s=160x90:r=30:d=21,noise=alls=6:allf=t'
  const source = await film(join(folder, 'flash.mp4'), `${flash('30', 21, '854x480')}[a];${noise}[b];[a][b]overlay`, {
    sound: beep(21),
  })
  const { ladder, plan, at } = await make(source, join(folder, 'flash'))
  const playlists = ['480p.m3u8', '360p.m3u8']

  t.test('cuts all renditions at the same frames, 6.000 s each but the last', async (t) => {
    const lengths = await Promise.all(playlists.map(async (name) => segmentLengths(await readFile(at(name), 'utf8'))))
    t.strictSame(lengths, [
      [6, 6, 6, 3],
      [6, 6, 6, 3],
    ])
    const starts = await Promise.all(
      playlists.map(async (name) =>
        (await ffprobe(at(name), 'packet=pts_time,flags')).filter(({ flags }) => flags?.includes('K')),
      ),
    )
    t.strictSame(starts[0], starts[1], 'key frames at the same times')
    t.equal(starts[0]?.length, 11, 'every two seconds')
  })

  t.test('decodes without a complaint, and its decode times rise throughout', async (t) => {
    for (const name of [...playlists, 'audio.m3u8']) {
      t.equal(await decode(at(name)), '', name)
      t.ok(rises(await decodeTimes(at(name))), `${name} rises`)
    }
    t.ok(ladder.renditions.slice(0, 2).every(({ frames }) => frames === 630 && frames === plan?.chunks.frames))
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
    const variants = await toldAndMeasured(ladder.folder)
    t.equal(variants.length, 2)
    for (const { told, measured } of variants) t.strictSame(told, measured)
    const master = await readFile(at('master.m3u8'), 'utf8')
    t.match(master, /^#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-INDEPENDENT-SEGMENTS\n/)
    t.ok(master.indexOf('480p.m3u8') < master.indexOf('360p.m3u8'), 'the best first')
    t.equal(await decode(at('master.m3u8')), '')
  })

  t.test(
    'has playlists of its key frames alone, which lie in the same segments and decode by themselves',
    async (t) => {
      const master = await readFile(at('master.m3u8'), 'utf8')
      const lines = master.split('\n').filter((line) => line.startsWith('#EXT-X-I-FRAME-STREAM-INF'))
      t.match(lines.map(attributesOf), [
        { RESOLUTION: '854x480', CODECS: 'avc1.64001f', URI: '480p_keys.m3u8', 'VIDEO-RANGE': 'SDR' },
        { RESOLUTION: '640x360', CODECS: 'avc1.64001e', URI: '360p_keys.m3u8', 'VIDEO-RANGE': 'SDR' },
      ])
      for (const line of lines) {
        const { URI: name = '', BANDWIDTH, 'AVERAGE-BANDWIDTH': average } = attributesOf(line)
        const text = await readFile(at(name), 'utf8')
        t.match(text, /#EXT-X-I-FRAMES-ONLY\n/)
        const lengths = segmentLengths(text)
        t.strictSame(lengths, [...Array(10).fill(2), 1])
        const bits = [...text.matchAll(/BYTERANGE:(\d+)@/g)].map(([, bytes]) => 8 * Number(bytes))
        t.equal(Number(BANDWIDTH), Math.ceil(Math.max(...bits.map((size, i) => size / (lengths[i] ?? 0)))))
        t.equal(Number(average), Math.ceil(bits.reduce((a, b) => a + b, 0) / 21))
        const frames = await ffprobe(at(name), 'frame=pts_time,pict_type', '-select_streams', 'v:0')
        t.equal(frames.length, 11, 'as many pictures as groups')
        t.ok(frames.every(({ pict_type }) => pict_type === 'I'))
        const all = await ffprobe(at(name.replace('_keys', '')), 'packet=pts_time,flags')
        const keys = all.filter(({ flags }) => flags?.includes('K'))
        t.strictSame(
          frames.map(({ pts_time }) => pts_time),
          keys.map(({ pts_time }) => pts_time),
          'at the times at which they are shown in the film',
        )
        t.equal(await decode(at(name)), '')
      }
    },
  )

  t.test(
    'has a picture of each key frame on a sheet, and a track that tells which stands for which time',
    async (t) => {
      const cues = [
        ...(await readFile(at('thumbnails.vtt'), 'utf8')).matchAll(
          /^([\d:.]+) --> ([\d:.]+)\n(\S+)#xywh=(\d+),(\d+),(\d+),(\d+)\n/gm,
        ),
      ].map(([, from, to, sheet, ...box]) => ({ from, to, sheet, box: box.map(Number) }))
      t.equal(cues.length, 11)
      t.match(cues[1], {
        from: '00:00:02.000',
        to: '00:00:04.000',
        sheet: 'thumbnails_000.jpg',
        box: [160, 0, 160, 90],
      })
      t.match(cues[10], { from: '00:00:20.000', to: '00:00:21.000', box: [0, 90, 160, 90] })
      // A pixel for each picture: the film is white at every second but the first.
      const pixels = await ffmpeg(
        '-i',
        at('thumbnails_000.jpg'),
        '-vf',
        'scale=10:2:flags=area,format=gray',
        '-f',
        'rawvideo',
        '-',
      )
      const white = cues.map(({ box: [x = 0, y = 0] }) => (pixels[x / 160 + (y / 90) * 10] ?? 0) > 200)
      t.strictSame(white, [false, ...Array(10).fill(true)])
      t.match(await readFile(at('master.m3u8'), 'utf8'), 'DATA-ID="millrace.thumbnails",VALUE="thumbnails.vtt"')
    },
  )

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
  for (const { told, measured } of await toldAndMeasured(copy.folder)) t.strictSame(told, measured)
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
  const pieces = join(folder, 'mixed', 'pieces')
  const wanted = { ...plan, chunks: { ...plan.chunks, frames: plan.chunks.frames + 1 } }
  const output = join(folder, 'mixed', 'again')
  await t.rejects(
    engine.packageLadder({ pieces, plan: wanted, sounds: [], folder: output }, call),
    /have 75 of 76 frames/,
  )
  await film(join(pieces, '180p_00001.mp4'), flash('25', 1, '160x90'), { sound: null })
  const two = { ...plan, chunks: { ...plan.chunks, count: 2, frames: 100 } }
  await t.rejects(engine.packageLadder({ pieces, plan: two, sounds: [], folder: output }, call), /different encoders/)
  t.strictSame(await readdir(output), [], 'nothing is left')
})
