import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'

/** What is kept of the tour of a data folder until it has come to its end. */
export const folderIn = (data: string) => join(data, 'tour')

/** Whether a data folder is to be shown the tour: a fresh one, and one whose tour has not come to its end. */
export async function tourIsDue(data: string, fresh: boolean): Promise<boolean> {
  if (fresh) await mkdir(folderIn(data), { recursive: true })
  return existsSync(folderIn(data))
}
