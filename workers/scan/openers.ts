import { openAr } from './archives/ar.ts'
import { openCpio } from './archives/cpio.ts'
import { libarchive } from './archives/libarchive.ts'
import { openRpm } from './archives/rpm.ts'
import { openTar } from './archives/tar.ts'
import type { Kind } from './kinds/kind.ts'
import { openBzip2, openLzip, openLzma, openXz } from './packed/compressed.ts'
import { openGzip } from './packed/gzip.ts'
import { openZstd } from './packed/zstd.ts'
import { openZip } from './zip/open.ts'

/** Proves an archive and hands out what is in it. */
export type Open = typeof openZip

const openers: Record<string, Open> = {
  'application/zip': openZip,
  'application/gzip': openGzip,
  'application/zstd': openZstd,
  'application/x-bzip2': openBzip2,
  'application/x-tar': openTar,
  'application/x-archive': openAr,
  'application/x-cpio': openCpio,
  'application/x-rpm': openRpm,
  'application/x-xz': openXz,
  'application/x-lzma': openLzma,
  'application/x-lzip': openLzip,
  ...Object.fromEntries(
    [
      'application/x-7z-compressed',
      'application/vnd.rar',
      'application/vnd.ms-cab-compressed',
      'application/x-lzh-compressed',
      'application/x-xar',
      'application/x-iso9660-image',
    ].map((type) => [type, libarchive(type)]),
  ),
}

/** What opens a content of a kind; undefined where nothing does. */
export const openerOf = (kind: Kind | null): Open | undefined => openers[kind?.type ?? '']
