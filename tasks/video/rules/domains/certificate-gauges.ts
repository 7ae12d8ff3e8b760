import { cacheFor } from '#lib/cached-for.ts'
import { watchedGauge } from '#lib/telemetry/metrics.ts'
import type { Db } from '#sql/db.ts'
import * as certificates from '#sql/video/certificates.ts'

const counted = watchedGauge(
  'millrace_domain_certificates',
  'Custom domains by the state of their certificate: none yet, valid, failing (served, but its renewal has failed) or expired. Every process reports the whole fleet, so aggregate with max, not sum.',
  ['state'],
)

/** Time in milliseconds for which a count is reused. */
const freshMs = 30_000

export function observeCertificates(db: Db): () => void {
  const seen = cacheFor(() => certificates.countByState(db), freshMs)
  return counted.watch(async () => Object.entries(await seen()).map(([state, value]) => ({ labels: { state }, value })))
}
