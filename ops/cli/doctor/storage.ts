import { openStorage } from '../storage.ts'
import { type Finding, fault, well } from './finding.ts'

export async function checkStorage(): Promise<Finding> {
  const store = await openStorage().catch(() => null)
  if (!store) return fault('storage', 'not configured', 'set S3_ENDPOINT, S3_ACCESS_KEY and S3_SECRET_KEY')
  const begun = performance.now()
  await store.check(AbortSignal.timeout(4_000))
  return well(
    'storage',
    `bucket ${store.bucket} at ${store.publicOrigin} responds in ${(performance.now() - begun).toFixed(0)} ms`,
  )
}

/**
 * Checks whether the store rejects a copy if its condition fails. This prevents others from replacing the content of a
 * file.
 */
export async function checkCopies(): Promise<Finding> {
  const store = await openStorage().catch(() => null)
  if (!store) return well('copies', 'not checked: storage is not configured')
  await store.check(AbortSignal.timeout(4_000))
  switch (await store.conditions()) {
    case 'kept':
      return well('copies', 'the store rejects a copy if its condition fails')
    case 'compared':
      return well('copies', 'the store ignores conditions of copies, so Millrace compares each copy with its source')
    case 'unknowable':
      return fault(
        'copies',
        'the store ignores conditions of copies and changes ETags, so files are rejected',
        'use another store (ops/deploy/STORAGE.md)',
      )
  }
}
