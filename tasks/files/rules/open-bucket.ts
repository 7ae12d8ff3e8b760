import type { RemoteBucket } from '#lib/storage/remote-bucket.ts'
import type { Bucket } from '#sql/files/buckets.ts'

/** Opens the bucket of a customer with its credentials. Sends no request. Throws if the secret cannot be decrypted. */
export type OpenBucket = (bucket: Bucket, signal: AbortSignal) => Promise<RemoteBucket>
