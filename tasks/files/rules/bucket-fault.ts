import { OutboundError } from '#lib/network/address-guard.ts'
import { BucketResponseError } from '#lib/storage/remote-bucket.ts'
import { TransientFetchError } from '../../video/rules/import/fault.ts'

export type BucketFaultCode =
  | 'access_denied'
  | 'not_found'
  | 'wrong_region'
  | 'address_refused'
  | 'rejected'
  | 'too_slow'
  | 'unreachable'
  | 'changed'

/** Thrown if a request to a customer’s bucket can never succeed as it is. `message` is for the customer. */
export class BucketFault extends Error {
  override name = 'BucketFault'
  readonly code: BucketFaultCode

  constructor(code: BucketFaultCode, message: string) {
    super(message)
    this.code = code
  }
}

/** Statuses after which the same request may work later. */
const later = new Set([408, 425, 429, 500, 502, 503, 504])

const passing: ReadonlySet<string> = new Set(['timed_out', 'connection_failed', 'unresolved'])

/** Faults of an answer. The bucket was reached. */
const ofAnswer: ReadonlySet<string> = new Set(['too_large', 'bad_encoding'])

const wrongRegion = /^(PermanentRedirect|TemporaryRedirect|AuthorizationHeaderMalformed|IllegalLocationConstraint\w*)$/

/** Converts the error of a request to a bucket. Throws other errors, so that a job can be retried. */
export function toBucketFault(error: unknown): BucketFault | TransientFetchError {
  if (error instanceof BucketFault || error instanceof TransientFetchError) return error
  if (error instanceof BucketResponseError) return ofResponse(error)
  if (!(error instanceof OutboundError)) throw error
  if (ofAnswer.has(error.shown)) return new BucketFault('rejected', error.message)
  const words = `The bucket could not be reached: ${error.message}`
  // The error must not reveal whether a name resolves to a rejected address, so both cases are retried.
  return passing.has(error.shown) ? new TransientFetchError(words) : new BucketFault('address_refused', words)
}

function ofResponse({ status, code, message }: BucketResponseError): BucketFault | TransientFetchError {
  if (later.has(status)) return new TransientFetchError(message)
  if (status === 401 || status === 403)
    return new BucketFault('access_denied', `${message} Check the credentials and their permissions for this object.`)
  if (wrongRegion.test(code ?? '') || status === 301 || status === 307)
    return new BucketFault('wrong_region', `${message} Check the region and the endpoint of the connection.`)
  if (status === 404 || status === 405) {
    const what = code === 'NoSuchBucket' ? 'bucket' : code === 'NoSuchVersion' ? 'version of the object' : 'object'
    return new BucketFault('not_found', `The ${what} does not exist.`)
  }
  return new BucketFault('rejected', `${message} Check the connection.`)
}
