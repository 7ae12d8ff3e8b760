import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ffprobe } from './ffmpeg.ts'
import { segmentLengths } from './measure.ts'

const list = (text: string) => text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))

/** The attributes of a tag's line, without quotes (RFC 8216 4.2). */
export function attributesOf(line: string): Record<string, string> {
  const found = line.slice(line.indexOf(':') + 1).matchAll(/([A-Z0-9-]+)=("[^"]*"|[^,]*)/g)
  return Object.fromEntries(
    [...found].map(([, name, value]) => [name as string, (value as string).replaceAll('"', '')]),
  )
}

/** Mean bit rate, and that of the worst run of segments of half to one and a half target durations (RFC 8216 4.1). */
function rates(sizes: number[], lengths: number[], target: number): { peak: number; mean: number } {
  const sum = (values: number[]) => values.reduce((a, b) => a + b, 0)
  const runs = lengths.flatMap((_, from) =>
    lengths.slice(from).map((_, count) => {
      const seconds = sum(lengths.slice(from, from + count + 1))
      return { seconds, rate: (8 * sum(sizes.slice(from, from + count + 1))) / seconds }
    }),
  )
  const fit = runs.filter(({ seconds }) => seconds >= 0.5 * target && seconds <= 1.5 * target)
  const mean = (8 * sum(sizes)) / sum(lengths)
  return { peak: Math.max(mean, ...fit.map(({ rate }) => rate)), mean }
}

/** A media playlist measured by its files and by ffprobe. */
async function measure(folder: string, name: string) {
  const path = join(folder, name)
  const text = await readFile(path, 'utf8')
  const sizes = await Promise.all(list(text).map(async (file) => (await stat(join(folder, file))).size))
  const lengths = segmentLengths(text)
  const target = Number(/TARGETDURATION:(\d+)/.exec(text)?.[1])
  const [stream] = await ffprobe(path, 'stream=codec_type,profile,width,height,nb_read_packets', '-count_packets')
  const init = await readFile(join(folder, /MAP:URI="([^"]+)"/.exec(text)?.[1] ?? ''))
  const avc = init.indexOf('avcC')
  const seconds = lengths.reduce((a, b) => a + b, 0)
  return {
    ...rates(sizes, lengths, target),
    size: `${stream?.width}x${stream?.height}`,
    fps: Number(stream?.nb_read_packets) / seconds,
    codec: avc > 0 ? `avc1.${init.toString('hex', avc + 5, avc + 8)}` : stream?.profile === 'LC' ? 'mp4a.40.2' : '?',
  }
}

/** What a master playlist tells of each variant beside what its segments measure, in the same form. */
export async function toldAndMeasured(folder: string) {
  const lines = (await readFile(join(folder, 'master.m3u8'), 'utf8')).split('\n')
  const sound = lines.filter((line) => line.includes('TYPE=AUDIO')).map((line) => attributesOf(line).URI as string)
  const variants = lines.flatMap((line, i) =>
    line.startsWith('#EXT-X-STREAM-INF') ? [{ told: attributesOf(line), name: lines[i + 1] as string }] : [],
  )
  return await Promise.all(
    variants.map(async ({ told, name }) => {
      const [picture, ...others] = await Promise.all([name, ...sound].map((playlist) => measure(folder, playlist)))
      if (!picture) throw new Error('no variant')
      const all = [picture, ...others]
      const measured = {
        BANDWIDTH: String(all.reduce((sum, { peak }) => sum + Math.ceil(peak), 0)),
        'AVERAGE-BANDWIDTH': String(all.reduce((sum, { mean }) => sum + Math.ceil(mean), 0)),
        CODECS: all.map(({ codec }) => codec).join(','),
        RESOLUTION: picture.size,
        'VIDEO-RANGE': 'SDR',
        'FRAME-RATE': picture.fps.toFixed(3),
        ...(others.length > 0 && { AUDIO: 'audio' }),
      }
      return { told, measured }
    }),
  )
}
