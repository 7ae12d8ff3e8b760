import { damaged, unknown } from '../refusal.ts'
import { modes } from './file-mode.ts'

/** What the archive says for itself: comments, recovery records, signatures, rights and owners; no data of a file. */
const services = ['CMT', 'RR', 'QO', 'AV', 'ACL', 'UOW', 'EA']

/** Refuses what stands beside the files and becomes one on some systems, as a second stream does. */
export function checkService(name: string): void {
  if (!services.includes(name)) throw unknown()
}

const folderOfDos = 0x10

/** What one entry says of itself. */
interface Told {
  /** Bytes of what is packed of it. */
  size: number
  isFolder: boolean
  attributes: { isDos: boolean; value: number }
  /** What it would lead to as a link; null where that cannot be read, or stands elsewhere. */
  link: Buffer | null
}

/** Refuses an entry that has data and is, for some tools, no file. */
export function checkFile({ size, isFolder, attributes: { isDos, value }, link }: Told): void {
  if (size === 0) return
  if (isFolder || (isDos && (value & folderOfDos) !== 0)) throw damaged()
  const kind = isDos ? modes.file : value & modes.mask
  // A text for libarchive, which ends at the first zero.
  if (kind === modes.link && (link === null || link.includes(0))) throw damaged()
  if (kind !== modes.file && kind !== modes.link) throw damaged()
}
