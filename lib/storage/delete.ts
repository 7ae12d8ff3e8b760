import { createHash } from 'node:crypto'
import { DeleteObjectsCommand, type S3Client } from '@aws-sdk/client-s3'
import { abortable } from './multipart.ts'

interface BuildArguments {
  request: unknown
}

/** Deletes up to 1,000 objects. Throws if the store did not delete all of them. */
export async function deleteMany(
  client: S3Client,
  bucket: string,
  keys: readonly string[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const Objects = keys.map((Key) => ({ Key }))
  const command = new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects, Quiet: true } })
  const place = { name: 'stateMd5', relation: 'after', toMiddleware: 'flexibleChecksumsMiddleware' } as const
  command.middlewareStack.addRelativeTo(stateMd5, place)
  const { Errors = [] } = await client.send(command, abortable(signal))
  const [first] = Errors
  if (first)
    throw new Error(`The store did not delete ${Errors.length} objects. ${first.Key}: ${first.Code}: ${first.Message}`)
}

/**
 * Adds Content-MD5 to a request. The library sends only a CRC-32, but some stores require Content-MD5, as S3 did
 * originally.
 */
function stateMd5<Args extends BuildArguments, Output>(next: (args: Args) => Promise<Output>) {
  return async (args: Args): Promise<Output> => {
    const { headers, body } = args.request as { headers: Record<string, string>; body: string }
    for (const name of Object.keys(headers)) if (/^x-amz-.*checksum/.test(name)) delete headers[name]
    headers['content-md5'] = createHash('md5').update(body).digest('base64')
    return await next(args)
  }
}
