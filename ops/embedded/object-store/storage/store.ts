import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Blobs } from './blobs.ts'
import { Ledger } from './ledger.ts'

export interface Store {
  readonly ledger: Ledger
  readonly blobs: Blobs
}

export async function openStore(dir: string): Promise<Store> {
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const ledger = await Ledger.open(dir)
  return { ledger, blobs: await Blobs.open(join(dir, 'blobs'), ledger) }
}

export async function closeStore({ ledger, blobs }: Store): Promise<void> {
  await blobs.close()
  await ledger.close()
}
