import { access, constants } from 'node:fs/promises'
import { resolve } from 'node:path'
import { findIsolationFault } from './isolation.ts'

export const usualPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

export async function missingPrograms(programs: Record<string, string>): Promise<string[]> {
  const found = await Promise.all(
    Object.entries(programs).map(async ([variable, program]) =>
      (await isInstalled(program)) ? [] : [`${program} (${variable})`],
    ),
  )
  return found.flat()
}

export async function isInstalled(program: string, path = usualPath): Promise<boolean> {
  const folders = program.includes('/') ? ['.'] : path.split(':')
  const there = folders.map((folder) => access(resolve(folder, program), constants.X_OK))
  return await Promise.any(there).then(
    () => true,
    () => false,
  )
}

export async function findSandboxFault(): Promise<string | undefined> {
  const walls = await findIsolationFault(usualPath)
  if (walls) return walls
  return (await isInstalled('flock')) ? undefined : 'flock is missing; install util-linux'
}
