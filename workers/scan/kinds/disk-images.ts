import type { Kind } from './kind.ts'

const marks: [system: string, at: number, ...bytes: string[]][] = [
  ['iso9660', 32769, 'CD001'],
  ['iso9660', 34817, 'CD001'],
  ['udf', 32769, 'BEA01', 'NSR0'],
  ['vhdx', 0, 'vhdxfile'],
  ['vhd', 0, 'conectix'],
  ['vmdk', 0, 'KDMV'],
  ['qcow', 0, 'QFI\xfb\0\0\0'],
  ['vdi', 64, '\x7f\x10\xda\xbe'],
  ['gpt', 512, 'EFI PART'],
  ['fat', 54, 'FAT12   ', 'FAT16   '],
  ['fat', 82, 'FAT32   '],
  ['exfat', 3, 'EXFAT   '],
  ['ntfs', 3, 'NTFS    '],
  ['hfs', 1024, 'H+\0\x04', 'HX\0\x05'],
  ['apfs', 32, 'NXSB'],
  ['cramfs', 16, 'Compressed ROMFS'],
  ['android-sparse', 0, ':\xff\x26\xed\x01\0'],
]

/**
 * Returns the kind of a disk or file system image. Some tools extract files from such images. `latin` contains the
 * bytes as text.
 */
export function detectDiskImage(latin: string, head: Buffer): Kind | null {
  const system = marks.find(([, at, ...bytes]) => bytes.some((text) => latin.startsWith(text, at)))?.[0]
  const found = system ?? (isExt(head) ? 'ext' : isFat(head) ? 'fat' : isPartitioned(head) ? 'mbr' : null)
  return found === null ? null : { type: `application/x-${found}-image`, family: 'disk-image' }
}

/** True for the superblock of ext2 to ext4: two magic bytes next to numbers with few possible values. */
export function isExt(head: Buffer): boolean {
  if (head.length < 1128 || head.readUInt16LE(1080) !== 0xef53) return false
  return head.readUInt32LE(1048) <= 6 && head.readUInt32LE(1096) <= 4 && head.readUInt32LE(1100) <= 1
}

const isBootable = (head: Buffer) => head.length >= 512 && head.readUInt16LE(510) === 0xaa55

/**
 * True for the first sector of a FAT volume. Checks its numbers, because many volumes have no text with the FAT type.
 */
export function isFat(head: Buffer): boolean {
  if (!isBootable(head) || ![0xeb, 0xe9].includes(head[0] ?? 0)) return false
  const [sector, tables, media] = [head.readUInt16LE(11), head.readUInt8(16), head.readUInt8(21)]
  return [512, 1024, 2048, 4096].includes(sector) && tables > 0 && tables < 5 && media >= 0xf0
}

/** True if the first sector ends with a table of up to four partitions that has at least one partition. */
function isPartitioned(head: Buffer): boolean {
  const entries = [446, 462, 478, 494].map((at) => head.subarray(at, at + 16))
  const isOne = (entry: Buffer) => ((entry[0] ?? 1) & 0x7f) === 0 && entry[4] !== 0
  const isBlank = (entry: Buffer) => entry.every((byte) => byte === 0)
  return isBootable(head) && entries.some(isOne) && entries.every((entry) => isOne(entry) || isBlank(entry))
}
