import { access, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { config } from '#lib/config.ts'
import { SpeechModel } from './model.ts'

/** Folder of the installed models of this host. */
export const modelsFolder = (): string => join(config.MILLRACE_DATA, 'models')

export const factsFile = 'model.json'

/** Returns an installed model, or `null` if it is missing or incomplete. */
export async function findInstalled(folder: string, name: string): Promise<SpeechModel | null> {
  const text = await readFile(join(folder, name, factsFile), 'utf8').catch(() => null)
  if (text === null) return null
  const model = SpeechModel.safeParse(parse(text)).data
  if (!model) return null
  const files = Object.values(model.files).map((file) => access(join(folder, name, file)))
  return await Promise.all(files).then(
    () => model,
    () => null,
  )
}

export async function listInstalled(folder: string): Promise<SpeechModel[]> {
  const names = await readdir(folder).catch(() => [])
  const found = await Promise.all(names.sort().map((name) => findInstalled(folder, name)))
  return found.filter((model) => model !== null)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
