import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { config } from '#lib/config.ts'
import { type Finding, fault, well } from './finding.ts'
import { duration } from './output.ts'
import { openStorage } from './storage.ts'

const remedy = 'see what makes backups and why it did not; ops/deploy/README.md has one'

/** How old the last backup is, where BACKUP_PATH says that there are any. */
export async function backup(): Promise<Finding> {
  const { BACKUP_PATH: path, BACKUP_MAX_AGE_HOURS: most } = config
  if (!path) return well('backup', 'not looked for: BACKUP_PATH is not set')
  const newest = await newestIn(path)
  if (!newest) return fault('backup', `there is none in ${path}`, remedy)
  const hours = (Date.now() - newest.getTime()) / 3_600_000
  const found = `the last in ${path} is ${duration(Math.max(0, hours * 3600))} old`
  return hours <= most ? well('backup', found) : fault('backup', `${found}, more than ${most} h`, remedy)
}

async function newestIn(path: string): Promise<Date | undefined> {
  const [, bucket, prefix = ''] = /^s3:\/\/([^/]+)(?:\/(.*))?$/.exec(path) ?? []
  if (bucket) return await (await openStorage(bucket)).newest(prefix, AbortSignal.timeout(4_000))
  // A name that begins with a dot is of one that is being made, or was broken off.
  const names = (await readdir(path)).filter((name) => !name.startsWith('.'))
  const times = await Promise.all(names.map(async (name) => (await stat(join(path, name))).mtimeMs))
  return times.length > 0 ? new Date(Math.max(...times)) : undefined
}
