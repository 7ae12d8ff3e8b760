import { createSevenZip } from '../archives/seven-zip.ts'
import type { Inspection } from '../inspection.ts'
import { type OpenedArchive, openWrapper } from '../opened-archive.ts'
import { damaged } from '../refusal.ts'
import type { Source } from '../source.ts'
import { Spool } from '../spool.ts'
import { type Unpacker, unpackWith } from './unpacker.ts'

type Check = (source: Source) => Promise<void>

const opener =
  (unpacker: Unpacker, check: Check = async () => {}) =>
  async (inspection: Inspection, source: Source, path: string[]): Promise<OpenedArchive> => {
    await check(source)
    return openWrapper(inspection, () => contentOf(inspection, source, path, unpacker))
  }

/** Removes only the layer of the named format. libarchive would remove all layers that it supports. */
const xz = (format: string): Unpacker => ({
  program: 'xz',
  args: ['--decompress', '--stdout', '--threads=1', '--memlimit-decompress=400MiB', `--format=${format}`],
})

/** bzip2 accepts any data after the last stream. Without the quiet option, it reports such data. */
const bzip2: Unpacker = { program: 'bzip2', args: ['--decompress', '--stdout'] }

/** Openers by type for files with one packed content. Consecutive streams, frames or members are one content. */
export const compressed = {
  'application/x-bzip2': opener(bzip2),
  'application/x-xz': opener(xz('xz')),
  'application/x-lzma': opener(xz('lzma')),
  'application/x-lzip': opener(xz('lzip'), checkMember),
  'application/x-lz4': opener({ program: 'lz4', args: ['-dc'] }),
  // lzop reports data after the end.
  'application/x-lzop': opener({ program: 'lzop', args: ['-dc'] }),
  'application/x-compress': opener(createSevenZip('x', 'Z', '-so')),
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
  for await (const chunk of unpackWith(unpacker, inspection, packed)) {
    size += chunk.length
    inspection.checkRatio(source.size, size)
    yield chunk
  }
}

/** xz would ignore data after a member. The size of a member is at its end. */
async function checkMember(source: Source): Promise<void> {
  const trailer = await source.read(source.size - 8, source.size)
  if (trailer.length < 8 || trailer.readBigUInt64LE(0) !== BigInt(source.size)) throw damaged()
}
