import { type Box, boxesAt, boxesIn } from './boxes.ts'

export interface Sample {
  duration: number
  /** Presentation time minus decode time. */
  composition: number
  flags: number
  data: Buffer
}

export interface SegmentSamples {
  track: number
  /** Decode time of the first sample. */
  time: number
  samples: Sample[]
}

/** True if decoding can start with a sample, because `sample_is_non_sync_sample` (8.8.3.1) is not set. */
export const isKey = ({ flags }: Sample): boolean => (flags & 0x10000) === 0

interface Defaults {
  track: number
  duration: number | undefined
  size: number | undefined
  flags: number | undefined
}

const flagsOf = (bytes: Buffer, { start }: Box) => bytes.readUInt32BE(start) & 0xffffff

/** Reads a track fragment header (8.8.7). Its base must be the fragment itself, because `moof` will be moved. */
function readHeader(bytes: Buffer, box: Box): Defaults {
  const flags = flagsOf(bytes, box)
  if ((flags & 0x1) !== 0 || (flags & 0x20000) === 0)
    throw new RangeError('The fragment does not use its own start as the base.')
  let at = box.start + 8 + (flags & 0x2 ? 4 : 0)
  const next = (flag: number) => {
    if ((flags & flag) === 0) return undefined
    at += 4
    return bytes.readUInt32BE(at - 4)
  }
  return { track: bytes.readUInt32BE(box.start + 4), duration: next(0x8), size: next(0x10), flags: next(0x20) }
}

function readTime(bytes: Buffer, { start }: Box): number {
  return bytes[start] === 1 ? Number(bytes.readBigUInt64BE(start + 4)) : bytes.readUInt32BE(start + 4)
}

/** Reads a track run (8.8.8). `moof` is the start of its fragment. `end` is the end of its media data. */
function readRun(bytes: Buffer, box: Box, defaults: Defaults, moof: number, end: number): Sample[] {
  const flags = flagsOf(bytes, box)
  if ((flags & 0x1) === 0) throw new RangeError('A track run (trun) has no data offset.')
  const count = bytes.readUInt32BE(box.start + 4)
  let data = moof + bytes.readInt32BE(box.start + 8)
  let at = box.start + 12
  const next = (flag: number, otherwise: number | undefined) => {
    if ((flags & flag) === 0) return otherwise
    at += 4
    return bytes.readUInt32BE(at - 4)
  }
  const first = next(0x4, undefined)
  return Array.from({ length: count }, (_, i) => {
    const duration = next(0x100, defaults.duration)
    const size = next(0x200, defaults.size)
    const own = next(0x400, (i === 0 ? first : undefined) ?? defaults.flags)
    const composition = (next(0x800, 0) as number) | 0
    if (at > box.end || duration === undefined || size === undefined || own === undefined || data + size > end) {
      throw new RangeError(`Sample ${i} of a run is not complete.`)
    }
    data += size
    return { duration, composition, flags: own, data: bytes.subarray(data - size, data) }
  })
}

function readFragment(bytes: Buffer, moof: Box, media: Box): SegmentSamples[] {
  return boxesAt(bytes, 'traf', moof.start, moof.end).map((traf) => {
    const [head] = boxesAt(bytes, 'tfhd', traf.start, traf.end)
    const [time] = boxesAt(bytes, 'tfdt', traf.start, traf.end)
    if (!head || !time) throw new RangeError('A fragment of a track has no header or no time.')
    const defaults = readHeader(bytes, head)
    const runs = boxesAt(bytes, 'trun', traf.start, traf.end)
    // Boxes have 32-bit sizes, so the header of `moof` has 8 bytes.
    const samples = runs.flatMap((run) => readRun(bytes, run, defaults, moof.start - 8, media.end))
    return { track: defaults.track, time: readTime(bytes, time), samples }
  })
}

/** Returns the samples of every fragment by track. Throws a `RangeError` for incomplete data. */
export function readTracks(bytes: Buffer): SegmentSamples[] {
  const top = boxesIn(bytes)
  return top.flatMap((moof, i) => {
    if (moof.type !== 'moof') return []
    const media = top.slice(i + 1).find(({ type }) => type === 'mdat')
    if (!media) throw new RangeError('A fragment has no media data.')
    return readFragment(bytes, moof, media)
  })
}

/** Returns all samples of a segment with one track. Throws a `RangeError` for incomplete data. */
export function readSamples(bytes: Buffer): SegmentSamples {
  const found = readTracks(bytes)
  const [first] = found
  if (!first) throw new RangeError('A segment has no fragment.')
  if (found.some(({ track }) => track !== first.track)) throw new RangeError('A segment has more than one track.')
  return { track: first.track, time: first.time, samples: found.flatMap(({ samples }) => samples) }
}
