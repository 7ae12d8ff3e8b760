import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Blobs } from './blobs.ts'
import { Ledger } from './ledger.ts'

/** Stored data: bytes in blobs, everything else in the ledger. */
export interface Store {
  readonly ledger: Ledger
  readonly blobs: Blobs
}

/** Opens the store of a folder. Creates it if needed. */
export async function openStore(dir: string): Promise<Store> {
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const ledger = await Ledger.open(dir)
  return { ledger, blobs: await Blobs.open(join(dir, 'blobs'), ledger) }
}

/** Closes a store that is no longer in use. */
export async function closeStore({ ledger, blobs }: Store): Promise<void> {
  await blobs.close()
  await ledger.close()
}
