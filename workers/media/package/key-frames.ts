import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { getTargetDuration, keyPlaylist } from '#tasks/video/rules/hls/key-playlist.ts'
import type { PlaylistSegment } from '#tasks/video/rules/hls/media-playlist.ts'
import { meanBitRate, peakBitRate } from './bit-rate.ts'
import { boxesIn } from './boxes.ts'
import { writeFragment } from './fragment.ts'
import { isKey, readSamples, type Sample } from './samples.ts'

export interface KeyFrame {
  offset: number
  bytes: number
  time: number
}

function grouped(samples: Sample[]): Sample[][] {
  const groups: Sample[][] = []
  for (const sample of samples) {
    const last = groups.at(-1)
    if (isKey(sample) || !last || isKey(last[0] as Sample)) groups.push([sample])
    else last.push(sample)
  }
  return groups
}

/**
 * Rewrites a segment so that every key frame is a separate fragment. Players that need only key frames for scrubbing
 * load whole fragments from the normal segments. `sequence` counts the fragments of the track.
 */
export async function isolateKeys(path: string, sequence: { next: number }): Promise<KeyFrame[]> {
  const bytes = await readFile(path)
  const { track, time, samples } = readSamples(bytes)
  const [moof] = boxesIn(bytes).filter(({ type }) => type === 'moof')
  const fragments: Buffer[] = [bytes.subarray(0, (moof?.start ?? 8) - 8)]
  const keys: KeyFrame[] = []
  let [offset, at] = [fragments[0]?.length ?? 0, time]
  for (const group of grouped(samples)) {
    const made = writeFragment(sequence.next++, [{ track, time: at, samples: group }])
    const [first] = group
    if (first && isKey(first)) keys.push({ offset, bytes: made.length, time: at + first.composition })
    fragments.push(made)
    offset += made.length
    at += group.reduce((sum, { duration }) => sum + duration, 0)
  }
  await writeFile(path, Buffer.concat(fragments))
  return keys
}

interface CutTrack {
  name: string
  map: string
  timescale: number
  segments: PlaylistSegment[]
}

export async function writeKeyPlaylist(
  folder: string,
  { name, map, timescale, segments }: CutTrack,
): Promise<{ playlist: string; peakBitRate: number; meanBitRate: number }> {
  const sequence = { next: 1 }
  const found: (KeyFrame & { file: string })[] = []
  for (const { file } of segments) {
    for (const key of await isolateKeys(join(folder, file), sequence)) found.push({ ...key, file })
  }
  const [first] = found
  if (!first) throw new Error(`The segments of ${name} contain no key frame.`)
  const end = first.time + segments.reduce((sum, { seconds }) => sum + seconds, 0) * timescale
  const keys = found.map(({ file, offset, bytes, time }, i) => {
    const seconds = ((found[i + 1]?.time ?? end) - time) / timescale
    return { file, offset, bytes, seconds }
  })
  const playlist = `${name}_keys.m3u8`
  await writeFile(join(folder, playlist), keyPlaylist(map, keys))
  const ranges = keys.map(({ bytes, seconds }) => ({ bits: bytes * 8, seconds }))
  return { playlist, peakBitRate: peakBitRate(ranges, getTargetDuration(keys)), meanBitRate: meanBitRate(ranges) }
}
