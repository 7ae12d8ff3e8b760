import { readFile } from 'node:fs/promises'

/** Every box of some type, however deep, as its content; a reader of its own, so that the engine's cannot hide its faults. */
function findBoxes(bytes: Buffer, type: string): Buffer[] {
  const found: Buffer[] = []
  for (let at = 0; at + 8 <= bytes.length; ) {
    const size = bytes.readUInt32BE(at)
    const content = bytes.subarray(at + 8, at + size)
    const name = bytes.toString('latin1', at + 4, at + 8)
    if (name === type) found.push(content)
    if (['moov', 'trak', 'mdia', 'edts', 'moof', 'traf'].includes(name)) found.push(...findBoxes(content, type))
    at += Math.max(8, size)
  }
  return found
}

/** Seconds at which a track's first sample is shown by a player that goes by tfdt, ctts and edit list. */
export async function firstShown(init: string, segment: string): Promise<number> {
  const [header, media] = await Promise.all([readFile(init), readFile(segment)])
  const [mdhd] = findBoxes(header, 'mdhd')
  const [tfdt] = findBoxes(media, 'tfdt')
  const [trun] = findBoxes(media, 'trun')
  if (!mdhd || !tfdt || !trun) throw new Error('no times')
  const timescale = mdhd.readUInt32BE(mdhd[0] === 1 ? 20 : 12)
  const decode = tfdt[0] === 1 ? Number(tfdt.readBigUInt64BE(4)) : tfdt.readUInt32BE(4)
  const flags = trun.readUInt32BE(0) & 0xffffff
  const width = [0x100, 0x200, 0x400].filter((flag) => flags & flag).length * 4
  const at = 8 + (flags & 1 ? 4 : 0) + (flags & 4 ? 4 : 0) + width
  const composition = flags & 0x800 ? trun.readInt32BE(at) : 0
  const edits = findBoxes(header, 'elst')
  const cut = edits.map((elst) => (elst[0] === 1 ? Number(elst.readBigInt64BE(16)) : elst.readInt32BE(12)))
  return (decode + composition - (cut.find((start) => start > 0) ?? 0)) / timescale
}
