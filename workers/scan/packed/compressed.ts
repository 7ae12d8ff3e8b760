import { sevenZip } from '../archives/seven-zip.ts'
import type { Inspection } from '../inspection.ts'
import { type OpenedArchive, wrapperOf } from '../opened-archive.ts'
import { damaged } from '../refusal.ts'
import type { Source } from '../source.ts'
import { Spool } from '../spool.ts'
import { type Unpacker, unpackedBy } from './unpacker.ts'

type Check = (source: Source) => Promise<void>

const opener =
  (unpacker: Unpacker, check: Check = async () => {}) =>
  async (inspection: Inspection, source: Source, path: string[]): Promise<OpenedArchive> => {
    await check(source)
    return wrapperOf(inspection, () => contentOf(inspection, source, path, unpacker))
  }

/** Takes one layer of the format it is told away; libarchive would take all that it knows. */
const xz = (format: string): Unpacker => ({
  program: 'xz',
  args: ['--decompress', '--stdout', '--threads=1', '--memlimit-decompress=400MiB', `--format=${format}`],
})

/** Ends well whatever stands behind the last stream, but says so, unless it is told to be quiet. */
const bzip2: Unpacker = { program: 'bzip2', args: ['--decompress', '--stdout'] }

/** What opens a file of one packed content, by its type: streams, frames or members one after the other are one content. */
export const compressed = {
  'application/x-bzip2': opener(bzip2),
  'application/x-xz': opener(xz('xz')),
  // The format before xz.
  'application/x-lzma': opener(xz('lzma')),
  'application/x-lzip': opener(xz('lzip'), checkMember),
  'application/x-lz4': opener({ program: 'lz4', args: ['-dc'] }),
  // Complains of what stands behind it.
  'application/x-lzop': opener({ program: 'lzop', args: ['-dc'] }),
  'application/x-compress': opener(sevenZip('x', 'Z', '-so')),
}

async function* contentOf(
  inspection: Inspection,
  source: Source,
  path: string[],
  unpacker: Unpacker,
): AsyncGenerator<Buffer> {
  await using copy = new Spool(inspection)
  const packed = await copy.stage(source, path)
  let size = 0
  for await (const chunk of unpackedBy(unpacker, inspection, packed)) {
    size += chunk.length
    inspection.checkRatio(source.size, size)
    yield chunk
  }
}

/** What stands behind a member, whose size is the last that it tells, xz would leave alone. */
async function checkMember(source: Source): Promise<void> {
  const trailer = await source.read(source.size - 8, source.size)
  if (trailer.length < 8 || trailer.readBigUInt64LE(0) !== BigInt(source.size)) throw damaged()
}
