import { crc32 } from 'node:zlib'
import type { Kind } from './kind.ts'
import { hasArjSum, isCpio, isLzh } from './marks.ts'

/** What a container's header has to hold besides its signature, so that nothing passes for one that is none. */
const proofs: Record<string, (head: Buffer) => boolean> = {
  'application/x-bzip2': (head) => ['1AY&SY', '\x17rE8P\x90'].includes(head.toString('latin1', 4, 10)),
  'application/x-xz': (head) => head.length >= 12 && crc32(head.subarray(6, 8)) === head.readUInt32LE(8),
  'application/x-7z-compressed': (head) => head.length >= 32 && crc32(head.subarray(12, 32)) === head.readUInt32LE(8),
  // Programs take anything for a number in a header of text, but no text holds a zero.
  'application/x-cpio': (head) => head.includes(0) && (head[0] === 0x30 || isCpio(head)),
  'application/x-cpio-afio': (head) => head.includes(0),
  'application/x-cpio-rpm': (head) => head.includes(0),
  // The last byte is the first of its range coder, which is 0 always.
  'application/x-lzma': (head) => head.length > 13 && isLzmaSize(head) && head[13] === 0,
  'application/x-compress': (head) =>
    head.length > 3 && ((head[2] ?? 0) & 0x60) === 0 && [9, 10, 11, 12, 13, 14, 15, 16].includes((head[2] ?? 0) & 0x1f),
  'application/zstd': (head) => head.length >= 5 && (head.readUInt32LE(0) === 0xfd2fb528 || (head[0] ?? 0) >> 4 === 5),
  'application/x-lzh-compressed': isLzh,
  'application/x-arj': hasArjSum,
  'application/vnd.squashfs': (head) => head.length >= 96 && head.readUInt16LE(28) === 4,
  'application/x-archive': (head) => head.length === 8 || head.toString('latin1', 66, 68) === '`\n',
}

/** All ones where the size is not known. */
const isLzmaSize = (head: Buffer) => head.readBigUInt64LE(5) === 2n ** 64n - 1n || head.readBigUInt64LE(5) < 2n ** 40n

/** Whether a content is the container that its first bytes say. */
export const isWhatItSays = (kind: Kind, head: Buffer): boolean => proofs[kind.type]?.(head) ?? true
