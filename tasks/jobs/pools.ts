import type { Storage } from '#lib/storage/storage.ts'
import { pool } from '../queue/pool.ts'
import type { CertificateIssuer } from '../video/rules/domains/certificate-authority.ts'

interface CoreTools {
  storage: Storage
  /** What certificates are ordered with; what is lacking where none are, in a sentence. */
  certificates: CertificateIssuer | { lacks: string }
  /** Notifies the named task that one of its jobs is given up. */
  giveUp(task: string, job: { payload: unknown; run?: string | undefined }, error: Error): Promise<void>
}

/** Short work that needs no engine. */
export const core = pool<CoreTools>()('core', { fetchAhead: 500 })
