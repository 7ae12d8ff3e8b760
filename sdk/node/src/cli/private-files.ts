import { chmod, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { MillraceError } from '../errors.ts'
import { setting } from '../transport.ts'

/** Folder of the profiles and of the local webhook secrets. */
export const configFolder = (): string => join(baseFolder('XDG_CONFIG_HOME', '.config'), 'millrace')

/** Folder of positions and interrupted uploads. */
export const stateFolder = (): string => join(baseFolder('XDG_STATE_HOME', '.local/state'), 'millrace')

const baseFolder = (name: string, fallback: string) =>
  absolute(setting(name)) ??
  (process.platform === 'win32' ? setting('APPDATA') : undefined) ??
  join(homedir(), fallback)

/** Programs must ignore relative paths in these variables (XDG Base Directory Specification). */
const absolute = (path: string | undefined) => (path !== undefined && isAbsolute(path) ? path : undefined)

/** Returns the JSON object of a file, or `undefined` if the file does not exist. Removes the access of other users. */
export async function readPrivate<Content>(path: string): Promise<Content | undefined> {
  const text = await readFile(path, 'utf8').catch((error) => {
    if (isMissing(error)) return undefined
    throw new MillraceError(`The file ${path} cannot be read: ${codeOf(error)}.`)
  })
  if (text === undefined) return undefined
  if (process.platform !== 'win32' && ((await stat(path)).mode & 0o077) !== 0) await chmod(path, 0o600)
  const content = parsed(text)
  if (typeof content === 'object' && content !== null) return content as Content
  throw new MillraceError(`The file ${path} does not have a valid JSON object. Delete it, and run the command again.`)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Writes a file that only this user can read. Other processes see the old or the new content. */
export async function writePrivate(path: string, content: unknown): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`
  try {
    await makeFolder(dirname(path))
    const file = await open(temporary, 'w', 0o600)
    try {
      await file.writeFile(`${JSON.stringify(content, undefined, 2)}\n`)
      await file.datasync()
    } finally {
      await file.close()
    }
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {})
    throw new MillraceError(`The file ${path} cannot be written: ${codeOf(error)}.`)
  }
}

/** Deletes a file. Does nothing if it does not exist. */
export const removePrivate = (path: string): Promise<void> => rm(path, { force: true })

/** Returns the names of the JSON files of a folder, without their ending. */
export async function listPrivate(folder: string): Promise<string[]> {
  const names: string[] = await readdir(folder).catch(() => [])
  return names
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.slice(0, -'.json'.length))
    .sort()
}

/** Deletes files of a folder that were not changed for some days. `ending` limits them to files with this ending. */
export async function removeOld(folder: string, days: number, ending = ''): Promise<void> {
  const oldest = Date.now() - days * 86_400_000
  for (const name of (await readdir(folder).catch(() => [])) as string[]) {
    if (!name.endsWith(ending)) continue
    const facts = await stat(join(folder, name)).catch(() => undefined)
    if (facts && facts.mtimeMs < oldest) await rm(join(folder, name), { force: true })
  }
}

async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  if (process.platform !== 'win32' && ((await stat(folder)).mode & 0o077) !== 0) await chmod(folder, 0o700)
}

const isMissing = (error: unknown) => codeOf(error) === 'ENOENT'

const codeOf = (error: unknown) => (error as { code?: string }).code ?? 'unknown error'
