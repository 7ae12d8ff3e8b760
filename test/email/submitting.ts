import { writeFile } from 'node:fs/promises'
import { defaultLimits } from '../../ingress/email/inbound/admission.ts'
import { listenSubmission } from '../../ingress/email/submission/listener.ts'
import type { TestScope } from '../support/ingress.ts'
import { makeCertificate } from '../support/push-servers/certificate.ts'
import { sending } from './sending.ts'

/** An organisation, and both ports at which its clients submit email. They end with the test. */
export async function submitting(t: TestScope, areas: readonly string[] = [], limits = defaultLimits) {
  const stack = await sending(t, areas)
  const { caFile, key } = await makeCertificate(t)
  const keyFile = `${caFile}.key`
  await writeFile(keyFile, key)
  const files = { cert: caFile, key: keyFile }
  const place = { host: '127.0.0.1', port: 0, variable: 'MAIL_SUBMISSION_PORT', files, limits }
  const starttls = await listenSubmission(stack.ingress.app, { ...place, isImplicit: false })
  const implicit = await listenSubmission(stack.ingress.app, { ...place, isImplicit: true })
  t.teardown(async () => void (await Promise.all([starttls.close(0), implicit.close(0)])))
  const shop = await stack.sender()
  return { ...stack, shop, caFile, starttls: starttls.port, implicit: implicit.port }
}
