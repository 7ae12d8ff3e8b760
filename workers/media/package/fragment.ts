import type { Sample, SegmentSamples } from './samples.ts'

function box(type: string, ...content: Buffer[]): Buffer {
  const head = Buffer.alloc(8)
  head.writeUInt32BE(8 + content.reduce((sum, { length }) => sum + length, 0))
  head.write(type, 4, 'latin1')
  return Buffer.concat([head, ...content])
}

function words(...values: number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length)
  for (const [i, value] of values.entries()) bytes.writeUInt32BE(value >>> 0, 4 * i)
  return bytes
}

/** Returns a track fragment (8.8.6 to 8.8.8). Values that all samples share are stored once in the header. */
function trackFragment({ track, time, samples }: SegmentSamples, dataAt: number): Buffer {
  const fields = [
    { header: 0x8, run: 0x100, of: ({ duration }: Sample) => duration },
    { header: 0x10, run: 0x200, of: ({ data }: Sample) => data.length },
    { header: 0x20, run: 0x400, of: ({ flags }: Sample) => flags },
  ].map((field) => ({ ...field, shared: new Set(samples.map(field.of)).size === 1 }))
  const common = fields.filter(({ shared }) => shared)
  const single = fields.filter(({ shared }) => !shared)
  const headerFlags = common.reduce((sum, { header }) => sum | header, 0x20000)
  const runFlags = single.reduce((sum, { run }) => sum | run, 0x801)
  const tfhd = box('tfhd', words(headerFlags, track, ...common.map(({ of }) => of(samples[0] as Sample))))
  const start = Buffer.alloc(8)
  start.writeBigUInt64BE(BigInt(time))
  const tfdt = box('tfdt', words(0x1000000), start)
  const table = words(...samples.flatMap((sample) => [...single.map(({ of }) => of(sample)), sample.composition]))
  return box('traf', tfhd, tfdt, box('trun', words(0x1000000 | runFlags, samples.length, dataAt), table))
}

const sizeOf = ({ samples }: SegmentSamples) => samples.reduce((sum, { data }) => sum + data.length, 0)

/** Returns a movie fragment (8.8.4) with its media data, one track after the other. */
export function writeFragment(sequence: number, tracks: SegmentSamples[]): Buffer {
  const moof = (dataAt: number) => {
    let at = dataAt
    const fragments = tracks.map((track) => {
      const made = trackFragment(track, at)
      at += sizeOf(track)
      return made
    })
    return box('moof', box('mfhd', words(0, sequence)), ...fragments)
  }
  const data = tracks.flatMap(({ samples }) => samples.map((sample) => sample.data))
  return Buffer.concat([moof(moof(0).length + 8), box('mdat', ...data)])
}
