/** Functions only for Node: files on disk, and native scrypt. */
import { scrypt } from 'node:crypto'
import { open, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Derive } from './guard/solve.ts'
import type { Sliceable } from './sources.ts'

/** Opens a file on disk for an upload in parts. */
export async function fileSource(path: string): Promise<Sliceable> {
  const { size: bytes } = await stat(path)
  return {
    bytes,
    filename: basename(path),
    async slice(start, end) {
      const file = await open(path)
      try {
        const piece = new Uint8Array(end - start)
        const { bytesRead } = await file.read(piece, 0, piece.length, start)
        if (bytesRead < piece.length) throw new Error(`${path} became shorter during the upload.`)
        return piece
      } finally {
        await file.close()
      }
    },
  }
}

/** A `derive` function for `guard.solve` that uses Node's scrypt. */
export const nodeScrypt: Derive = (password, salt, { n, r, p, keyLength }) =>
  new Promise((resolve, reject) => {
    scrypt(password, salt, keyLength, { N: n, r, p }, (error, key) => (error ? reject(error) : resolve(key)))
  })
