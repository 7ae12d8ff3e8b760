import { createHash } from 'node:crypto'
import { realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { MillraceError } from '../../errors.ts'
import { readPrivate, removeOld, removePrivate, stateFolder, writePrivate } from '../private-files.ts'

/** A file on disk. */
export interface LocalFile {
  path: string
  bytes: number
  changedMs: number
}

/** Returns the facts of a file. Throws unless it is a regular file. */
export async function findFile(path: string): Promise<LocalFile> {
  try {
    const [found, real] = await Promise.all([stat(path), realpath(path)])
    if (found.isFile()) return { path: real, bytes: found.size, changedMs: found.mtimeMs }
  } catch (error) {
    throw new MillraceError(`The file ${path} cannot be read: ${(error as { code?: string }).code}.`)
  }
  throw new MillraceError(`${path} is not a file.`)
}

/** Throws if the file was changed since the upload started. */
export async function checkUnchanged({ path, bytes, changedMs }: LocalFile): Promise<void> {
  const now = await findFile(path)
  if (now.bytes === bytes && now.changedMs === changedMs) return
  throw new MillraceError(
    `${path} was changed during the upload. Delete the uploaded object, and upload the file again.`,
  )
}

const folder = () => join(stateFolder(), 'uploads')

/** Days after which an interrupted upload is started again. */
const keptDays = 7

/** Upload of a file with these options on this server. A changed file has another session. */
export class UploadSession {
  readonly #path: string

  constructor(about: readonly unknown[]) {
    this.#path = join(folder(), `${createHash('sha256').update(JSON.stringify(about)).digest('hex').slice(0, 32)}.json`)
  }

  /** Returns the ID of an interrupted upload. */
  async read(): Promise<string | undefined> {
    await removeOld(folder(), keptDays)
    const stored = await readPrivate<{ id?: unknown }>(this.#path)
    return typeof stored?.id === 'string' ? stored.id : undefined
  }

  save(id: string): Promise<void> {
    return writePrivate(this.#path, { id })
  }

  remove(): Promise<void> {
    return removePrivate(this.#path)
  }
}
