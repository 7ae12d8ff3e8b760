import { openRar } from './archives/rar.ts'
import { bySevenZip } from './archives/seven-zip.ts'
import { openTar } from './archives/tar.ts'
import type { Kind } from './kinds/kind.ts'
import { openBzip2, openCompress, openLz4, openLzip, openLzma, openLzop, openXz } from './packed/compressed.ts'
import { openGzip } from './packed/gzip.ts'
import { openZstd } from './packed/zstd.ts'
import { openZip } from './zip/open.ts'

/** Proves an archive and hands out what is in it. */
export type Open = typeof openZip

/** What 7-Zip opens, by its name for it; the images of disks are never clean, and but for those of ISO not opened. */
const formats = {
  'application/x-rpm': 'Rpm',
  'application/x-7z-compressed': '7z',
  'application/vnd.ms-cab-compressed': 'Cab',
  'application/x-lzh-compressed': 'Lzh',
  'application/x-iso9660-image': 'Iso',
  'application/x-archive': 'Ar',
  'application/x-cpio': 'Cpio',
  'application/x-arj': 'Arj',
  'application/x-ms-wim': 'wim',
  'application/x-xar': 'Xar',
  'application/vnd.squashfs': 'SquashFS',
}

const openers: Record<string, Open> = {
  'application/zip': openZip,
  'application/gzip': openGzip,
  'application/zstd': openZstd,
  'application/x-bzip2': openBzip2,
  'application/x-tar': openTar,
  'application/x-xz': openXz,
  'application/x-lzma': openLzma,
  'application/x-lzip': openLzip,
  'application/x-lz4': openLz4,
  'application/x-lzop': openLzop,
  'application/x-compress': openCompress,
  'application/vnd.rar': openRar,
  ...Object.fromEntries(Object.entries(formats).map(([type, format]) => [type, bySevenZip(type, format)])),
}

/** What opens a content of a kind; undefined where nothing does. */
export const openerOf = (kind: Kind | null): Open | undefined => openers[kind?.type ?? '']
