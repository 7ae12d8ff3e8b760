import { openRar } from './archives/rar.ts'
import { bySevenZip } from './archives/seven-zip.ts'
import { openTar } from './archives/tar.ts'
import type { Kind } from './kinds/kind.ts'
import { compressed } from './packed/compressed.ts'
import { openGzip } from './packed/gzip.ts'
import { openZstd } from './packed/zstd.ts'
import { openZip } from './zip/open.ts'

export type Opener = typeof openZip

const openers: Record<string, Opener> = {
  ...compressed,
  'application/zip': openZip,
  'application/gzip': openGzip,
  'application/zstd': openZstd,
  'application/x-tar': openTar,
  'application/vnd.rar': openRar,
  // ISO is the only disk image that is opened. Disk images are never clean.
  'application/x-rpm': bySevenZip('Rpm'),
  'application/x-7z-compressed': bySevenZip('7z'),
  'application/vnd.ms-cab-compressed': bySevenZip('Cab'),
  'application/x-lzh-compressed': bySevenZip('Lzh'),
  'application/x-iso9660-image': bySevenZip('Iso'),
  'application/x-archive': bySevenZip('Ar'),
  'application/x-cpio': bySevenZip('Cpio'),
  'application/x-arj': bySevenZip('Arj'),
  'application/x-ms-wim': bySevenZip('wim'),
  'application/x-xar': bySevenZip('Xar'),
  'application/vnd.squashfs': bySevenZip('SquashFS'),
}

export const openerOf = (kind: Kind | null): Opener | undefined => openers[kind?.type ?? '']
