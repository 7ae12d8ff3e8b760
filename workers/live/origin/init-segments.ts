import { boxesAt, boxesIn } from '../../media/package/boxes.ts'

/** Returns the new track (`trak`) of a header, or undefined to remove it. */
type Choose = (id: number, trak: Buffer) => Buffer | undefined

/** Returns `ftyp` and `moov` with only some of the tracks (ISO/IEC 14496-12, 8.3.1 and 8.8.3). */
export const selectTracks = (init: Buffer, ids: readonly number[]): Buffer =>
  remade(init, (id, trak) => (ids.includes(id) ? trak : undefined))

/** Returns a header in which a track is replaced by a track of another header. The track number stays the same. */
export function replaceTrack(init: Buffer, id: number, other: { init: Buffer; id: number }): Buffer {
  const box = boxesAt(other.init, 'moov/trak').find(({ start, end }) => numberOf(other.init, start, end) === other.id)
  if (!box) throw new RangeError('The track does not exist.')
  const trak = Buffer.from(other.init.subarray(box.start - 8, box.end))
  trak.writeUInt32BE(id, numberAt(trak, 8, trak.length))
  return remade(init, (own, whole) => (own === id ? trak : whole))
}

/** Returns the offset of the track number in the `tkhd` of a `trak` (8.3.2). */
function numberAt(bytes: Buffer, start: number, end: number): number {
  const [tkhd] = boxesAt(bytes, 'tkhd', start, end)
  if (!tkhd) throw new RangeError('A track has no header.')
  return tkhd.start + (bytes[tkhd.start] === 1 ? 20 : 12)
}

const numberOf = (bytes: Buffer, start: number, end: number) => bytes.readUInt32BE(numberAt(bytes, start, end))

function remade(init: Buffer, choose: Choose): Buffer {
  const pieces = boxesIn(init).map(({ type, start, end }) =>
    type === 'moov' ? container(type, within(init, start, end, choose)) : init.subarray(start - 8, end),
  )
  return Buffer.concat(pieces)
}

function within(bytes: Buffer, from: number, to: number, choose: Choose): Buffer[] {
  return boxesIn(bytes, from, to).flatMap(({ type, start, end }) => {
    const whole = bytes.subarray(start - 8, end)
    if (type === 'mvex') return [container(type, within(bytes, start, end, choose))]
    if (type === 'trak') return choose(numberOf(bytes, start, end), whole) ?? []
    if (type === 'trex') return choose(bytes.readUInt32BE(start + 4), whole) ? [whole] : []
    return [whole]
  })
}

function container(type: string, content: readonly Buffer[]): Buffer {
  const head = Buffer.alloc(8)
  head.writeUInt32BE(8 + content.reduce((sum, { length }) => sum + length, 0))
  head.write(type, 4, 'latin1')
  return Buffer.concat([head, ...content])
}
