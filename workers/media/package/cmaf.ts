import { open } from 'node:fs/promises'
import { boxesAt, topBoxes } from './boxes.ts'

export interface TrackHeader {
  /** Ticks per second. */
  timescale: number
  /** Number of samples in the index. 0 in a fragmented file. */
  samples: number
  /** AVCDecoderConfigurationRecord of H.264, or `null`. */
  avcConfig: Buffer | null
}

export interface Fragment {
  /** Decode time of the first sample (tfdt, 8.8.12). */
  time: number
  /** Position and size in bytes of the decode time in the file. */
  timeAt: number
  timeBytes: 4 | 8
  samples: number
  /** Smallest presentation time of a sample minus `time`. */
  firstOffset: number
}

export async function readHeader(path: string): Promise<TrackHeader> {
  await using file = await open(path)
  const [moov] = await topBoxes(file, ['moov'])
  if (!moov) return { timescale: 1, samples: 0, avcConfig: null }
  const bytes = moov.content
  const [mdhd] = boxesAt(bytes, 'trak/mdia/mdhd')
  const [table] = boxesAt(bytes, 'trak/mdia/minf/stbl')
  if (!mdhd || !table) throw new RangeError(`${path} has no track.`)
  const timescale = bytes.readUInt32BE(mdhd.start + (bytes[mdhd.start] === 1 ? 20 : 12))
  const [sizes] = boxesAt(bytes, 'stsz', table.start, table.end)
  const [descriptions] = boxesAt(bytes, 'stsd', table.start, table.end)
  // stsd has eight bytes before its entries (8.5.2). VisualSampleEntry has 78 bytes before its own boxes.
  const [entry] = descriptions ? boxesAt(bytes, 'avc1', descriptions.start + 8, descriptions.end) : []
  const [avc] = entry ? boxesAt(bytes, 'avcC', entry.start + 78, entry.end) : []
  return {
    timescale,
    samples: sizes ? bytes.readUInt32BE(sizes.start + 8) : 0,
    avcConfig: avc ? Buffer.from(bytes.subarray(avc.start, avc.end)) : null,
  }
}

/** Returns the RFC 6381 name of an H.264 configuration: profile, constraints and level in hexadecimal. */
export function avcCodec(config: Buffer): string {
  return `avc1.${config.subarray(1, 4).toString('hex')}`
}

/** Returns the samples of a track run (8.8.8) and their smallest composition offset. */
function readRun(bytes: Buffer, start: number, defaultDuration: number) {
  const flags = bytes.readUInt32BE(start) & 0xffffff
  const samples = bytes.readUInt32BE(start + 4)
  const fields = [0x100, 0x200, 0x400, 0x800].map((flag) => (flags & flag ? 4 : 0))
  const [duration = 0, size = 0, sampleFlags = 0, composition = 0] = fields
  let at = start + 8 + (flags & 0x1 ? 4 : 0) + (flags & 0x4 ? 4 : 0)
  let time = 0
  let firstOffset = Number.POSITIVE_INFINITY
  for (let i = 0; i < samples; i++) {
    const offset = composition ? bytes.readInt32BE(at + duration + size + sampleFlags) : 0
    firstOffset = Math.min(firstOffset, time + offset)
    time += duration ? bytes.readUInt32BE(at) : defaultDuration
    at += duration + size + sampleFlags + composition
  }
  return { samples, firstOffset }
}

/** Returns the default sample duration of a track fragment header (8.8.7), or 0. */
function defaultDuration(bytes: Buffer, start: number): number {
  const flags = bytes.readUInt32BE(start) & 0xffffff
  const before = (flags & 0x1 ? 8 : 0) + (flags & 0x2 ? 4 : 0)
  return flags & 0x8 ? bytes.readUInt32BE(start + 8 + before) : 0
}

export async function readFragments(path: string): Promise<Fragment[]> {
  await using file = await open(path)
  const found = await topBoxes(file, ['moof'])
  return found.map(({ box, content: bytes }) => {
    const [head] = boxesAt(bytes, 'traf/tfhd')
    const [base] = boxesAt(bytes, 'traf/tfdt')
    const [run] = boxesAt(bytes, 'traf/trun')
    if (!head || !base || !run) throw new RangeError(`${path} has a fragment without times.`)
    const long = bytes[base.start] === 1
    const time = long ? Number(bytes.readBigUInt64BE(base.start + 4)) : bytes.readUInt32BE(base.start + 4)
    const timeAt = box.start + base.start + 4
    return { time, timeAt, timeBytes: long ? 8 : 4, ...readRun(bytes, run.start, defaultDuration(bytes, head.start)) }
  })
}

export async function shiftSegment(path: string, ticks: number): Promise<void> {
  const fragments = await readFragments(path)
  await using file = await open(path, 'r+')
  for (const { time, timeAt, timeBytes } of fragments) {
    const bytes = Buffer.alloc(timeBytes)
    if (timeBytes === 8) bytes.writeBigUInt64BE(BigInt(time + ticks))
    else bytes.writeUInt32BE(time + ticks)
    await file.write(bytes, 0, timeBytes, timeAt)
  }
}
