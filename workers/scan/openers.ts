import { openRar } from './archives/rar.ts'
import { createSevenZipOpener } from './archives/seven-zip.ts'
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
  'application/x-rpm': createSevenZipOpener('Rpm'),
  'application/x-7z-compressed': createSevenZipOpener('7z'),
  'application/vnd.ms-cab-compressed': createSevenZipOpener('Cab'),
  'application/x-lzh-compressed': createSevenZipOpener('Lzh'),
  'application/x-iso9660-image': createSevenZipOpener('Iso'),
  'application/x-archive': createSevenZipOpener('Ar'),
  'application/x-cpio': createSevenZipOpener('Cpio'),
  'application/x-arj': createSevenZipOpener('Arj'),
  'application/x-ms-wim': createSevenZipOpener('wim'),
  'application/x-xar': createSevenZipOpener('Xar'),
  'application/vnd.squashfs': createSevenZipOpener('SquashFS'),
}

export const openerOf = (kind: Kind | null): Opener | undefined => openers[kind?.type ?? '']
