import type { Storage } from '#lib/storage/storage.ts'
import { pool } from '../queue/pool.ts'
import type { CertificateIssuer } from '../video/rules/domains/certificate-authority.ts'

interface CoreTools {
  storage: Storage
  certificates: CertificateIssuer | { lacks: string }
  giveUp(task: string, job: { payload: unknown; run?: string | undefined }, error: Error): Promise<void>
}

export const core = pool<CoreTools>()('core', { fetchAhead: 500 })
