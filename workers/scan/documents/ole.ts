import type { Reason } from '#tasks/files/engine.ts'
import { RefusalError, unreadable } from '../refusal.ts'
import type { Source } from '../source.ts'

/** A storage or stream in a compound file's directory ([MS-CFB] 2.6.1). */
interface Node {
  name: string
  type: number
  classId: string
}

const noSector = 0xffffffff
const endOfChain = 0xfffffffe
const largestSector = 0xfffffffa
const longestDirectory = 64 * 1024 ** 2

const damaged = (detail: string) => new RefusalError('suspicious', 'malformed_document', detail)

/** Returns macros, encryption and installers in the directory of a compound file (Office 97 to 2003, MSI). */
export async function findOleFaults(source: Source): Promise<Reason[]> {
  const nodes = await readDirectory(source)
  const names = new Set(nodes.map(({ name }) => name.toLowerCase()))
  if (names.has('encryptedpackage')) throw unreadable('encrypted', 'The document is encrypted.')
  const faults: Reason[] = []
  if (['_vba_project', '_vba_project_cur', 'vba', 'projectwm'].some((name) => names.has(name)))
    faults.push({ code: 'macros', detail: 'The document contains macros.' })
  if (names.has('\u0001ole10native'))
    faults.push({ code: 'embedded_file', detail: 'The document contains a packed file.' })
  if (nodes.some(({ type, classId }) => type === 5 && /^8[46]100c0000000000c000000000000046$/.test(classId)))
    faults.push({ code: 'executable', detail: 'The file is an installer.' })
  return faults
}

/**
 * Reads the directory, which is a chain of sectors. The allocation table contains the next sector of each sector
 * ([MS-CFB] 2.3 and 2.5).
 */
async function readDirectory(source: Source): Promise<Node[]> {
  const header = await source.read(0, 512)
  const shift = header.length === 512 ? header.readUInt16LE(30) : 0
  if (shift !== 9 && shift !== 12) throw damaged('The header of the document is damaged.')
  const size = 2 ** shift
  const sector = async (index: number | undefined) => {
    const start = ((index ?? noSector) + 1) * size
    if (start >= source.size) throw damaged('The document refers to a sector that does not exist.')
    // The last sector of a file can be shorter.
    return Buffer.concat([await source.read(start, start + size), Buffer.alloc(size, 0xff)]).subarray(0, size)
  }
  // Sectors of the table: the header lists 109 of them, and a chain lists the others.
  const tables = numbersIn(header.subarray(76))
  for (let next = header.readUInt32LE(68); next <= largestSector; next = tables.pop() ?? noSector) {
    if (tables.length * size > source.size + 2 ** 20)
      throw damaged('The allocation table of the document is larger than the file.')
    tables.push(...numbersIn(await sector(next)))
  }
  const nodes: Node[] = []
  const seen = new Set<number>()
  for (let index = header.readUInt32LE(48); index !== endOfChain; ) {
    if (seen.has(index)) throw damaged('The directory of the document is circular.')
    if (seen.add(index).size * size > longestDirectory) throw damaged('The directory of the document is too large.')
    nodes.push(...nodesIn(await sector(index)))
    index = (await sector(tables[Math.floor((index * 4) / size)])).readUInt32LE((index * 4) % size)
  }
  if (nodes[0]?.type !== 5) throw damaged('The directory of the document has no root.')
  return nodes
}

const numbersIn = (bytes: Buffer) =>
  Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readUInt32LE(index * 4))

function nodesIn(sector: Buffer): Node[] {
  const nodes: Node[] = []
  for (let at = 0; at + 128 <= sector.length; at += 128) {
    const entry = sector.subarray(at, at + 128)
    const type = entry.readUInt8(66)
    const length = entry.readUInt16LE(64)
    if (type === 0 || type === 0xff) continue
    if (![1, 2, 5].includes(type) || length > 64) throw damaged('The directory of the document is damaged.')
    const name = entry.toString('utf16le', 0, Math.max(0, length - 2))
    nodes.push({ name, type, classId: entry.toString('hex', 80, 96) })
  }
  return nodes
}
