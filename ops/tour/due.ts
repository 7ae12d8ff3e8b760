import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'

export const tourFolder = (data: string) => join(data, 'tour')

/** True for a fresh data folder, and for a folder whose tour has not finished. */
export async function isTourDue(data: string, fresh: boolean): Promise<boolean> {
  if (fresh) await mkdir(tourFolder(data), { recursive: true })
  return existsSync(tourFolder(data))
}
