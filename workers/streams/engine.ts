import { config } from '#lib/config.ts'
import { createOutboundClient, withLoopback } from '#lib/http.ts'
import type { DatabasePool } from '#sql/db.ts'
import type { StreamEngine } from '#tasks/account/rules/streams/engine.ts'
import { httpPorts } from '#tasks/account/rules/streams/target-address.ts'
import { isLocalOrg } from '#tasks/webhooks/rules/endpoint-url.ts'
import { sendToOtlp } from './otlp.ts'
import { sendToS3 } from './s3.ts'
import { sendToSplunk } from './splunk.ts'
import { sendToSyslog } from './syslog.ts'

const overHttp = { s3: sendToS3, otlp: sendToOtlp, splunk: sendToSplunk } as const

/** Sends to servers of customers. Only the local organisation can use addresses of this machine. */
export function createStreamEngine(db: DatabasePool): { engine: StreamEngine; close(): Promise<void> } {
  const outbound = createOutboundClient({ ports: httpPorts })
  const local = config.WEBHOOK_LOCAL_ORG === undefined ? undefined : createOutboundClient(withLoopback)
  return {
    engine: {
      async send(target, batch, signal) {
        const isLocal = local !== undefined && (await isLocalOrg(db, target.orgId))
        if (target.kind === 'syslog') return await sendToSyslog(target, batch, isLocal, signal)
        return await overHttp[target.kind](target, batch, isLocal ? local : outbound, signal)
      },
    },
    async close() {
      await Promise.all([outbound.close(), local?.close()])
    },
  }
}
