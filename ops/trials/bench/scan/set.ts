import { randomBytes } from 'node:crypto'
import { copyFile, mkdir, open, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { buildTar, buildZip } from './archives.ts'

const mebibyte = 1024 ** 2

/** Creates a file that never existed before, because the engine caches clean files. */
type Maker = (path: string, megabytes: number) => Promise<void>

export const kinds: Record<string, { type: string; ending: string; megabytes: number; make: Maker }> = {
  noise: {
    type: 'application/octet-stream',
    ending: 'bin',
    megabytes: 50,
    make: (path, megabytes) => written(path, megabytes, () => randomBytes(mebibyte)),
  },
  program: { type: 'application/octet-stream', ending: 'bin', megabytes: 100, make: program },
  text: {
    type: 'text/plain',
    ending: 'txt',
    megabytes: 50,
    make: (path, megabytes) => written(path, megabytes, words),
  },
  'tar.gz': {
    type: 'application/gzip',
    ending: 'tar.gz',
    megabytes: 10,
    make: async (path, megabytes) => writeFile(path, await promisify(gzip)(buildTar(tree(megabytes)))),
  },
  zip: {
    type: 'application/zip',
    ending: 'zip',
    megabytes: 10,
    make: async (path, megabytes) => writeFile(path, buildZip(tree(megabytes))),
  },
}

export async function makeFiles(folder: string, kind: string, count: number): Promise<string[]> {
  const { ending, megabytes, make } = kinds[kind] ?? fail(kind)
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true, mode: 0o755 })
  const paths = Array.from({ length: count }, (_, i) => join(folder, `${i}.${ending}`))
  for (const path of paths) await make(path, megabytes)
  return paths
}

const fail = (kind: string): never => {
  throw new Error(`Unknown kind: ${kind}.`)
}

async function written(path: string, megabytes: number, next: () => Buffer): Promise<void> {
  await using file = await open(path, 'w')
  for (let i = 0; i < megabytes; i++) await file.writeFile(next())
}

/** Copies the running Node binary, an ELF of about that size, and appends a few bytes. */
async function program(path: string): Promise<void> {
  await copyFile(process.execPath, path)
  await using file = await open(path, 'a')
  await file.writeFile(randomBytes(16))
}

const vocabulary = Array.from({ length: 4096 }, () =>
  randomBytes(2 + Math.floor(Math.random() * 7)).toString('base64url'),
)

function words(): Buffer {
  const lines: string[] = []
  const picks = randomBytes(2 * 128 * 1024)
  for (let at = 0, length = 0; length < mebibyte; at = (at + 2) % picks.length) {
    const word = vocabulary[picks.readUInt16LE(at) % 4096] ?? ''
    length += word.length + 1
    lines.push(word, at % 24 === 0 ? '\n' : ' ')
  }
  return Buffer.from(lines.join('')).subarray(0, mebibyte)
}

/**
 * Returns files of 1 to 256 KiB, half of them text and half incompressible, with a packed size of about `megabytes`
 * MiB.
 */
function tree(megabytes: number): Map<string, Buffer> {
  const files = new Map<string, Buffer>()
  const [text, noise] = [words(), randomBytes(mebibyte)]
  for (let packed = 0; packed < megabytes * mebibyte; ) {
    const size = Math.floor(1024 * 2 ** (Math.random() * 8))
    const isText = files.size % 2 === 0
    const start = Math.floor(Math.random() * (mebibyte - size))
    const bytes = Buffer.concat([randomBytes(16), (isText ? text : noise).subarray(start, start + size)])
    files.set(`folder-${files.size % 17}/file-${files.size}.${isText ? 'txt' : 'dat'}`, bytes)
    packed += isText ? size * 0.6 : size
  }
  return files
}
