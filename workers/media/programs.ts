import { access, constants } from 'node:fs/promises'
import { resolve } from 'node:path'
import { usualPath } from './sandbox.ts'

/** Those of the programs, given by the variable that names each, that are not where the sandbox looks for them. */
export async function missingPrograms(programs: Record<string, string>): Promise<string[]> {
  const found = await Promise.all(
    Object.entries(programs).map(async ([variable, program]) =>
      (await isThere(program)) ? [] : [`${program} (${variable})`],
    ),
  )
  return found.flat()
}

async function isThere(program: string): Promise<boolean> {
  const folders = program.includes('/') ? ['.'] : usualPath.split(':')
  const there = folders.map((folder) => access(resolve(folder, program), constants.X_OK))
  return await Promise.any(there).then(
    () => true,
    () => false,
  )
}
