import type { Reason } from '#tasks/files/scanner.ts'
import { Refusal, unreadable } from '../refusal.ts'
import type { Source } from '../source.ts'

/** One storage or stream of a compound file's directory ([MS-CFB] 2.6.1). */
interface Node {
  name: string
  type: number
  classId: string
}

const freeSector = 0xffffffff
const endOfChain = 0xfffffffe
const largestSector = 0xfffffffa
const longestDirectory = 64 * 1024 ** 2

const damaged = (detail: string) => new Refusal('suspicious', 'malformed_document', detail)

/** What the directory of a compound file (Office 97 to 2003, MSI) says of macros, encryption and installers. */
export async function oleFaults(source: Source): Promise<Reason[]> {
  const nodes = await readDirectory(source)
  const names = new Set(nodes.map(({ name }) => name.toLowerCase()))
  if (names.has('encryptedpackage')) throw unreadable('encrypted', 'It is an encrypted document.')
  const faults: Reason[] = []
  if (['_vba_project', '_vba_project_cur', 'vba', 'projectwm'].some((name) => names.has(name)))
    faults.push({ code: 'macros', detail: 'It holds macros.' })
  if (names.has('\u0001ole10native')) faults.push({ code: 'embedded_file', detail: 'It holds a packed file.' })
  if (nodes.some(({ type, classId }) => type === 5 && /^8[46]100c0000000000c000000000000046$/.test(classId)))
    faults.push({ code: 'executable', detail: 'It is an installer.' })
  return faults
}

async function readDirectory(source: Source): Promise<Node[]> {
  const header = await source.read(0, 512)
  const shift = header.length === 512 ? header.readUInt16LE(30) : 0
  if (shift !== 9 && shift !== 12) throw damaged('Its header is damaged.')
  const sectorSize = 2 ** shift
  const sector = async (index: number) => {
    const start = (index + 1) * sectorSize
    if (index > largestSector || start >= source.size) throw damaged('It refers to a sector that it does not have.')
    const bytes = await source.read(start, start + sectorSize)
    // The last sector of a file may be cut short by its writer.
    return bytes.length === sectorSize ? bytes : Buffer.concat([bytes, Buffer.alloc(sectorSize - bytes.length, 0xff)])
  }
  const tables = await readTables(header, sector, Math.ceil(source.size / sectorSize))
  const nodes: Node[] = []
  const seen = new Set<number>()
  for (let index = header.readUInt32LE(48); index !== endOfChain; index = await nextOf(index, tables, sector)) {
    if (seen.has(index)) throw damaged('Its directory runs in a circle.')
    if (seen.add(index).size * sectorSize > longestDirectory) throw damaged('Its directory is too large.')
    nodes.push(...nodesIn(await sector(index)))
  }
  if (nodes[0]?.type !== 5) throw damaged('Its directory has no root.')
  return nodes
}

type ReadSector = (index: number) => Promise<Buffer>

/** The sectors of the allocation table: 109 named by the header, further ones by a chain ([MS-CFB] 2.5). */
async function readTables(header: Buffer, sector: ReadSector, most: number): Promise<number[]> {
  const tables = numbersIn(header.subarray(76))
  let next = header.readUInt32LE(68)
  for (let turns = 0; next !== endOfChain && next !== freeSector; turns++) {
    if (turns > most) throw damaged('Its allocation table runs in a circle.')
    const numbers = numbersIn(await sector(next))
    next = numbers.pop() ?? endOfChain
    tables.push(...numbers)
  }
  const used = tables.filter((index) => index !== freeSector)
  if (used.length > most) throw damaged('Its allocation table is larger than it is.')
  return used
}

async function nextOf(index: number, tables: number[], sector: ReadSector): Promise<number> {
  const first = await sector(tables[0] ?? freeSector)
  const perTable = first.length / 4
  const table = tables[Math.floor(index / perTable)]
  if (table === undefined) throw damaged('It refers to a sector outside its allocation table.')
  return (await sector(table)).readUInt32LE((index % perTable) * 4)
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
    if (![1, 2, 5].includes(type) || length > 64) throw damaged('Its directory is damaged.')
    const name = entry.toString('utf16le', 0, Math.max(0, length - 2))
    nodes.push({ name, type, classId: entry.toString('hex', 80, 96) })
  }
  return nodes
}
