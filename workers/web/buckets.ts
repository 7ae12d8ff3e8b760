import { config } from '#lib/config.ts'
import { Permanent } from '#lib/errors.ts'
import { createOutboundClient, type OutboundClient, withLoopback } from '#lib/http.ts'
import type { Seal } from '#lib/seal.ts'
import { RemoteBucket } from '#lib/storage/remote-bucket.ts'
import type { DatabasePool } from '#sql/db.ts'
import type { OpenBucket } from '#tasks/files/rules/open-bucket.ts'
import { selectOutbound } from '#tasks/webhooks/rules/endpoint-url.ts'

/** Opens buckets of customers. Only the local organisation can use addresses of this machine. */
export function createBucketOpener(
  db: DatabasePool,
  outbound: OutboundClient,
  seal: Seal | undefined,
): { open: OpenBucket; close(): Promise<void> } {
  const local = config.WEBHOOK_LOCAL_ORG === undefined ? undefined : createOutboundClient(withLoopback)
  return {
    async open(bucket, signal) {
      const { id, org_id, endpoint, region, addressing, access_key_id: accessKey } = bucket
      const secretKey = seal?.open(bucket.secret_key, id)
      if (secretKey == null) throw new Permanent('`SIGNING_SECRET` does not decrypt the secret of the bucket.')
      const client = await selectOutbound(org_id, { db, outbound, local })
      const options = { endpoint, region, bucket: bucket.bucket, addressing, accessKey, secretKey }
      return new RemoteBucket(options, client, signal)
    },
    close: async () => await local?.close(),
  }
}
