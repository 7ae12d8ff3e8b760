import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { isInstalled } from '../../workers/sandbox/programs.ts'
import { u16, u32 } from './archives.ts'

/** Files by their names, to be packed. */
export type Contents = Record<string, Buffer | string>

/** The programs that are not there, of those that the scanner unpacks with, and of others that a test packs with. */
export async function missingTools(...others: string[]): Promise<string[]> {
  const tools = ['7zz', 'bsdtar', 'xz', 'bzip2', 'lz4', 'lzop', ...others]
  const there = await Promise.all(tools.map((tool) => isInstalled(tool)))
  return tools.filter((_, index) => !there[index])
}

/** What a program makes of files: `out` is what it is to write, which is returned. */
export async function packed(contents: Contents, out: string, program: string, ...args: string[]): Promise<Buffer> {
  const outer = await mkdtemp(join(tmpdir(), 'millrace-packed-'))
  const folder = join(outer, 'files')
  try {
    await mkdir(folder)
    for (const [name, bytes] of Object.entries(contents)) {
      await mkdir(dirname(join(folder, name)), { recursive: true })
      await writeFile(join(folder, name), bytes)
    }
    await promisify(execFile)(program, args, { cwd: folder })
    return await readFile(join(folder, out))
  } finally {
    await rm(outer, { recursive: true })
  }
}

/** An archive of 7-Zip, made with further arguments. */
export const sevenZip = (contents: Contents, ...args: string[]): Promise<Buffer> =>
  packed(contents, 'out.7z', '7zz', 'a', '-bd', ...args, 'out.7z', ...Object.keys(contents))

/** An archive in a format of libarchive. */
export const bsdtar = (contents: Contents, format: string): Promise<Buffer> =>
  packed(contents, 'out', 'bsdtar', '-cf', 'out', `--format=${format}`, ...Object.keys(contents))

/** A file of xz, or of the format before it. */
export const xz = (bytes: Buffer | string, format: 'xz' | 'lzma' = 'xz'): Promise<Buffer> =>
  packed({ in: bytes }, `in.${format}`, 'xz', '-0', `--format=${format}`, 'in')

/** A file of bzip2. */
export const bzip2 = (bytes: Buffer | string): Promise<Buffer> => packed({ in: bytes }, 'in.bz2', 'bzip2', 'in')

/** A cabinet of Windows (MS-CAB) with one file, which it stores. */
export function cab(name: string, bytes: Buffer): Buffer {
  const entry = Buffer.concat([u32(bytes.length, 0), u16(0, 0, 0, 0x20), Buffer.from(`${name}\0`)])
  const start = 36 + 8 + entry.length
  return Buffer.concat([
    Buffer.from('MSCF\0\0\0\0'),
    u32(start + 8 + bytes.length, 0, 44, 0),
    u16(0x0103, 1, 1, 0, 0, 0),
    u32(start),
    u16(1, 0),
    entry,
    u32(0),
    u16(bytes.length, bytes.length),
    bytes,
  ])
}

/** A package of RPM without anything in its headers, around what is packed. */
export function rpm(payload: Buffer): Buffer {
  const header = Buffer.concat([Buffer.from('\x8e\xad\xe8\x01', 'latin1'), Buffer.alloc(12)])
  const lead = Buffer.concat([Buffer.from('\xed\xab\xee\xdb\x03\0', 'latin1'), Buffer.alloc(90)])
  // What follows is a header, too, of signatures.
  lead.writeUInt16BE(5, 78)
  return Buffer.concat([lead, header, header, payload])
}

/** What is put into a PDF, and how it is encrypted. */
interface EncryptedPdf {
  /** Of its page. */
  content?: string
  /** Further entries of its catalog. */
  catalog?: string
  /** The arguments of qpdf's `--encrypt` behind the passwords. */
  strength?: string
  /** The password that a reader is asked for. */
  user?: string
}

/** A PDF with packed objects that is encrypted by qpdf with a password for its owner, and one for its reader if that is wanted. */
export async function encryptedPdf(pdf: EncryptedPdf = {}): Promise<Buffer> {
  const { content = 'BT (A letter) Tj ET', catalog = '', strength = '256', user = '' } = pdf
  const plain = `%PDF-1.5
1 0 obj <</Type/Catalog/Pages 2 0 R ${catalog}>> endobj
2 0 obj <</Type/Pages/Kids[3 0 R]/Count 1>> endobj
3 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R>> endobj
4 0 obj <</Length ${content.length + 1}>> stream
${content}
endstream endobj
trailer <</Root 1 0 R/Size 5>>
`
  const how = '--warning-exit-0 --allow-weak-crypto --stream-data=preserve --object-streams=generate'
  const passwords = ['--encrypt', user, 'owner', ...strength.split(' '), '--']
  return await packed({ in: plain }, 'out.pdf', 'qpdf', ...how.split(' '), 'in', 'out.pdf', ...passwords)
}
