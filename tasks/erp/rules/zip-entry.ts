import {
  getFileRange,
  headLength,
  readEndRecord,
  readFiles,
  readZip64Directory,
  recordLength,
  tailLength,
  ZipBrokenError,
  type ZipDirectory,
  type ZipFile,
} from '#lib/zip-directory.ts'
import { ImportError } from './import-error.ts'

export interface RangedFile {
  bytes: number
  /** Returns the bytes from `from` up to, but not including, `to`. */
  read(from: number, to: number): Promise<AsyncIterable<Buffer>>
}

export interface ZipEntry {
  name: string
  method: 'stored' | 'deflated'
  crc32: number
  /** The range of its packed bytes in the archive. */
  from: number
  to: number
}

/** Maximum size of the directory of an archive in bytes. Registers publish archives with a few files. */
const longestDirectory = 1_000_000

/** Returns the only data file of a zip archive. Skips other files, such as notices. Throws `ImportError`. */
export async function findDataEntry(file: RangedFile): Promise<ZipEntry> {
  try {
    return await entryOf(file)
  } catch (error) {
    throw error instanceof ZipBrokenError ? broken('is damaged') : error
  }
}

async function entryOf(file: RangedFile): Promise<ZipEntry> {
  const entries = await entriesOf(file)
  const data = entries.filter(
    ({ name }) => /\.(csv|txt|tsv|json|jsonl|ndjson)$/i.test(name) && !name.startsWith('__MACOSX/'),
  )
  const [one, another] = data
  if (!one) throw broken(entries.length === 0 ? 'contains no file' : 'contains no CSV or JSON file')
  if (another)
    throw broken(
      `contains several files: ${data
        .slice(0, 3)
        .map(({ name }) => name)
        .join(', ')}`,
    )
  if (one.encrypted) throw broken('is encrypted')
  if (one.method !== 0 && one.method !== 8)
    throw broken(`uses compression method ${one.method}, which is not supported`)
  const { from, to } = getFileRange(one, await readWhole(file, one.at, one.at + headLength))
  if (to > file.bytes) throw broken('is incomplete')
  return { name: one.name, method: one.method === 0 ? 'stored' : 'deflated', crc32: one.crc32, from, to }
}

async function entriesOf(file: RangedFile): Promise<ZipFile[]> {
  const { from, to, count } = await directoryOf(file)
  if (count === 0) return []
  if (to - from > longestDirectory) throw new ZipBrokenError()
  return [...readFiles(await readWhole(file, from, to), count)].filter(({ name }) => !name.endsWith('/'))
}

async function directoryOf(file: RangedFile): Promise<ZipDirectory> {
  const end = readEndRecord(await readWhole(file, Math.max(0, file.bytes - tailLength), file.bytes))
  if (end === null) throw broken('is incomplete: its end is missing')
  if (!('recordAt' in end)) return end
  return readZip64Directory(await readWhole(file, end.recordAt, end.recordAt + recordLength))
}

async function readWhole(file: RangedFile, from: number, to: number): Promise<Buffer> {
  if (from >= to || to > file.bytes) throw new ZipBrokenError()
  const chunks: Buffer[] = []
  for await (const chunk of await file.read(from, to)) chunks.push(chunk)
  const whole = Buffer.concat(chunks)
  if (whole.length !== to - from) throw broken('is incomplete')
  return whole
}

const broken = (how: string) => new ImportError(`The zip archive ${how}.`)
