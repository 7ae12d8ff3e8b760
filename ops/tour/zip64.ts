import { crc32 } from 'node:zlib'

/**
 * Returns an archive with one stored entry. The sizes in its local header are in the ZIP64 field (APPNOTE 4.5.3), as
 * Python's `zipfile` writes them with `force_zip64`. ClamAV itself does not unpack such an archive, but every common
 * tool does.
 */
export function buildZip64(name: string, bytes: Uint8Array): Buffer {
  const extra = Buffer.alloc(20)
  extra.writeUInt16LE(1, 0)
  extra.writeUInt16LE(16, 2)
  extra.writeBigUInt64LE(BigInt(bytes.length), 4)
  extra.writeBigUInt64LE(BigInt(bytes.length), 12)
  const local = Buffer.alloc(30)
  local.writeUInt32LE(0x04034b50, 0)
  local.writeUInt16LE(45, 4)
  local.writeUInt16LE(0x21, 12)
  local.writeUInt32LE(crc32(bytes), 14)
  local.writeUInt32LE(0xffffffff, 18)
  local.writeUInt32LE(0xffffffff, 22)
  local.writeUInt16LE(name.length, 26)
  local.writeUInt16LE(extra.length, 28)
  const body = Buffer.concat([local, Buffer.from(name), extra, bytes])
  const central = Buffer.alloc(46)
  central.writeUInt32LE(0x02014b50, 0)
  central.writeUInt16LE(45, 4)
  central.writeUInt16LE(45, 6)
  central.writeUInt16LE(0x21, 14)
  central.writeUInt32LE(crc32(bytes), 16)
  central.writeUInt32LE(bytes.length, 20)
  central.writeUInt32LE(bytes.length, 24)
  central.writeUInt16LE(name.length, 28)
  const directory = Buffer.concat([central, Buffer.from(name)])
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(1, 8)
  end.writeUInt16LE(1, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(body.length, 16)
  return Buffer.concat([body, directory, end])
}
