import type { Kind } from './kind.ts'

/** Where the images of disks and of file systems tell what they are. */
const marks: [system: string, at: number, bytes: string][] = [
  ['iso9660', 32769, 'CD001'],
  ['iso9660', 34817, 'CD001'],
  ['udf', 32769, 'BEA01'],
  ['udf', 32769, 'NSR0'],
  ['vhdx', 0, 'vhdxfile'],
  ['vhd', 0, 'conectix'],
  ['vmdk', 0, 'KDMV'],
  ['qcow', 0, 'QFI\xfb\0\0\0'],
  ['vdi', 64, '\x7f\x10\xda\xbe'],
  ['gpt', 512, 'EFI PART'],
  ['fat', 54, 'FAT12   '],
  ['fat', 54, 'FAT16   '],
  ['fat', 82, 'FAT32   '],
  ['exfat', 3, 'EXFAT   '],
  ['ntfs', 3, 'NTFS    '],
  ['hfs', 1024, 'H+\0\x04'],
  ['hfs', 1024, 'HX\0\x05'],
  ['apfs', 32, 'NXSB'],
  ['cramfs', 16, 'Compressed ROMFS'],
  ['android-sparse', 0, ':\xff\x26\xed\x01\0'],
]

/** The image of a disk or of a file system, whose files some tools take out of it; `latin` are the bytes as text. */
export function diskImageBy(latin: string, head: Buffer): Kind | null {
  const system = marks.find(([, at, bytes]) => latin.startsWith(bytes, at))?.[0]
  const found = system ?? (isExt(head) ? 'ext' : isFat(head) ? 'fat' : isPartitioned(head) ? 'mbr' : null)
  return found === null ? null : { type: `application/x-${found}-image`, family: 'disk-image' }
}

/** The superblock of ext2 to ext4: its two bytes of mark beside numbers that have few values. */
export function isExt(head: Buffer): boolean {
  const start = 1024
  if (head.length < start + 104 || head.readUInt16LE(start + 56) !== 0xef53) return false
  const [inodes, blocks] = [head.readUInt32LE(start), head.readUInt32LE(start + 4)]
  const [blockSize, system, revision] = [24, 72, 76].map((at) => head.readUInt32LE(start + at))
  return inodes > 0 && blocks > 0 && (blockSize ?? 9) <= 6 && (system ?? 9) <= 4 && (revision ?? 9) <= 1
}

/** The first sector of a FAT volume, by its numbers: many lack the text that tells which FAT it is. */
export function isFat(head: Buffer): boolean {
  if (head.length < 512 || head.readUInt16LE(510) !== 0xaa55 || ![0xeb, 0xe9].includes(head[0] ?? 0)) return false
  const [sector, cluster, reserved] = [head.readUInt16LE(11), head.readUInt8(13), head.readUInt16LE(14)]
  const [tables, media] = [head.readUInt8(16), head.readUInt8(21)]
  const isPower = (value: number) => value > 0 && (value & (value - 1)) === 0
  return (
    sector >= 512 &&
    sector <= 4096 &&
    isPower(sector) &&
    isPower(cluster) &&
    reserved > 0 &&
    tables > 0 &&
    tables < 5 &&
    media >= 0xf0
  )
}

/** A table of up to four partitions at the end of the first sector, of which one at least is one. */
function isPartitioned(head: Buffer): boolean {
  if (head.length < 512 || head.readUInt16LE(510) !== 0xaa55) return false
  const entries = [446, 462, 478, 494].map((at) => head.subarray(at, at + 16))
  const isOne = (entry: Buffer) =>
    ((entry[0] ?? 1) & 0x7f) === 0 && entry[4] !== 0 && entry.readUInt32LE(8) > 0 && entry.readUInt32LE(12) > 0
  const isBlank = (entry: Buffer) => entry.every((byte) => byte === 0)
  return entries.some(isOne) && entries.every((entry) => isOne(entry) || isBlank(entry))
}
