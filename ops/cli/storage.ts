import { config } from '#lib/config.ts'
import { Storage } from '#lib/storage/storage.ts'
import { readStackFacts } from './session.ts'
import { CommandError } from './usage.ts'

/**
 * Opens the configured object storage, or the storage of the development stack. Throws `CommandError` if neither
 * exists.
 */
export async function openStorage(bucket = config.S3_BUCKET): Promise<Storage> {
  const { s3 } = await readStackFacts()
  const endpoint = config.S3_ENDPOINT ?? s3?.endpoint
  const accessKey = config.S3_ACCESS_KEY ?? s3?.access_key
  const secretKey = config.S3_SECRET_KEY ?? s3?.secret_key
  if (!endpoint || !accessKey || !secretKey)
    throw new CommandError('Object storage is not configured. Set S3_ENDPOINT, S3_ACCESS_KEY and S3_SECRET_KEY.')
  const region = config.S3_REGION
  return new Storage({ endpoint, publicEndpoint: endpoint, region, bucket, accessKey, secretKey })
}
