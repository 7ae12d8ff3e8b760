import { crc32 } from 'node:zlib'
import type { Kind } from './kind.ts'

/** What a container's header has to hold besides its signature, so that nothing passes for one that is none. */
const proofs: Record<string, (head: Buffer) => boolean> = {
  'application/x-bzip2': (head) => ['1AY&SY', '\x17rE8P\x90'].includes(head.toString('latin1', 4, 10)),
  'application/x-xz': (head) => head.length >= 12 && crc32(head.subarray(6, 8)) === head.readUInt32LE(8),
  'application/x-7z-compressed': (head) => head.length >= 32 && crc32(head.subarray(12, 32)) === head.readUInt32LE(8),
  'application/x-cpio': (head) => /^07070[127][0-7a-f]{70}/i.test(head.toString('latin1', 0, 76)),
  'application/x-archive': (head) => head.length === 8 || head.toString('latin1', 66, 68) === '`\n',
}

/** Whether a content is the container that its first bytes say. */
export const isWhatItSays = (kind: Kind, head: Buffer): boolean => proofs[kind.type]?.(head) ?? true
