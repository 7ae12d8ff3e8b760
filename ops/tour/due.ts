import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'

export const folderIn = (data: string) => join(data, 'tour')

/** Returns true for a fresh data folder, and for one whose tour has not finished. */
export async function tourIsDue(data: string, fresh: boolean): Promise<boolean> {
  if (fresh) await mkdir(folderIn(data), { recursive: true })
  return existsSync(folderIn(data))
}
