import type { Storage } from '#lib/storage/storage.ts'
import { pool } from '../queue/pool.ts'
import type { CertificateIssuer } from '../video/rules/domains/certificate-authority.ts'

interface CoreTools {
  storage: Storage
  /** Orders certificates, or the reason why none are ordered. */
  certificates: CertificateIssuer | { lacks: string }
  /** Notifies a task that one of its jobs has failed permanently. */
  giveUp(task: string, job: { payload: unknown; run?: string | undefined }, error: Error): Promise<void>
}

/** Short tasks without an engine. */
export const core = pool<CoreTools>()('core', { fetchAhead: 500 })
