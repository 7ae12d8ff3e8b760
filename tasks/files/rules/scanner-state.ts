import type { Db } from '#sql/db.ts'
import * as scanners from '#sql/files/scanners.ts'

export interface ScannerState {
  scanner: 'up' | 'away'
  /** `test` if at least one scanner recognises only test files; `null` until one has reported. */
  signatures: 'official' | 'test' | null
  notice: string | null
}

const awayNotice =
  'No malware scanner is responding. Uploads are accepted and queued. Files that are not scanned cannot be downloaded.'
const testNotice =
  'The malware scanner has only test signatures and recognises no real malware. Give it access to ClamAV’s signatures.'

export async function scannerState(db: Db): Promise<ScannerState> {
  const known = await scanners.list(db)
  const up = known.filter(({ state }) => state === 'up')
  const signatures = worst(up.length > 0 ? up : known)
  if (up.length === 0) return { scanner: 'away', signatures, notice: awayNotice }
  return { scanner: 'up', signatures, notice: signatures === 'official' ? null : testNotice }
}

function worst(known: readonly scanners.Scanner[]): ScannerState['signatures'] {
  const kinds = known.flatMap(({ signatures }) => signatures ?? [])
  return kinds.includes('test') ? 'test' : (kinds[0] ?? null)
}
