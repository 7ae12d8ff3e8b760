import type { Reason } from '#tasks/files/scanner.ts'
import type { Kind } from './kind.ts'

const executable: Reason = { code: 'executable', detail: 'It is a program or a script.' }
/** What is told of the image of a disk. */
export const diskImage: Reason = {
  code: 'disk_image',
  detail: 'It is the image of a disk, whose files no scanner marks as downloaded.',
}

/**
 * Why a content by itself may not pass; null when it may. In an archive libraries are parts of software, and pass under names
 * that say so; a program for Windows, a shortcut and a disk image are what is sent to be opened. A script is text wherever it
 * stands, but in a document, which has no use for one.
 */
export function runnable({ family }: Kind, within: 'nothing' | 'archive' | 'document'): Reason | null {
  if (family === 'disk-image') return diskImage
  if (family === 'program' || family === 'shortcut') return executable
  if (family === 'script') return within === 'document' ? executable : null
  return family === 'library' && within !== 'archive' ? executable : null
}
