import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { download, type OnBytes } from './download.ts'
import { factsFile } from './installed.ts'
import type { SpeechModel } from './model.ts'

const execute = promisify(execFile)

/** Thrown if a model cannot be installed. `message` is for the operator. */
export class ModelError extends Error {
  override name = 'ModelError'
}

export interface Installation {
  /** Folder of the models. */
  folder: string
  /** Archive on this host, or URL of the folder that has the archive. */
  from: { file: string } | { url: string }
  signal: AbortSignal
  onBytes?: OnBytes
}

/**
 * Downloads the archive of a model, checks its SHA-256 and unpacks the files that the engine needs. An interrupted
 * download continues at the next call. The model appears in its folder only when it is complete.
 */
export async function installModel(model: SpeechModel, { folder, from, signal, onBytes }: Installation): Promise<void> {
  await mkdir(folder, { recursive: true })
  const part = join(folder, `.${model.sha256}.part`)
  const archive = 'file' in from ? from.file : part
  if ('url' in from)
    await download(`${from.url.replace(/(?<!\/)\/+$/, '')}/${model.archive}`, part, model.bytes, { signal, onBytes })
  await demandSha256(model, archive, async () => {
    if ('url' in from) await rm(part, { force: true })
  })
  await unpack(model, archive, folder)
  await rm(part, { force: true })
}

async function demandSha256(model: SpeechModel, path: string, discard: () => Promise<void>): Promise<void> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash).catch((error: Error) => {
    throw new ModelError(`${path} cannot be read: ${error.message}`)
  })
  const found = hash.digest('hex')
  if (found === model.sha256) return
  await discard()
  throw new ModelError(
    `The SHA-256 of ${model.archive} is ${found}. It must be ${model.sha256}. Nothing was installed.`,
  )
}

async function unpack(model: SpeechModel, archive: string, folder: string): Promise<void> {
  const [fresh, place] = [join(folder, `.${model.name}.new`), join(folder, model.name)]
  await rm(fresh, { recursive: true, force: true })
  await mkdir(fresh)
  try {
    const wanted = Object.values(model.files).map((file) => `*/${file}`)
    const options = ['--strip-components=1', '--no-same-owner', '--no-same-permissions', '--wildcards']
    await execute('tar', ['-xf', archive, '-C', fresh, ...options, '--', ...wanted]).catch(
      (error: Error & { stderr?: string }) => {
        throw new ModelError(`The archive cannot be unpacked: ${error.stderr?.trim().split('\n')[0] || error.message}`)
      },
    )
    await writeFile(join(fresh, factsFile), JSON.stringify(model, null, 2))
    await rm(place, { recursive: true, force: true })
    await rename(fresh, place)
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
}
