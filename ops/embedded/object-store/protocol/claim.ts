import type { Call } from './call.ts'
import { S3Error } from './errors.ts'
import { algorithm } from './signature.ts'

export interface Claim {
  readonly accessKey: string
  readonly date: string
  readonly region: string
  readonly service: string
  readonly timestamp: string
  readonly signedHeaders: readonly string[]
  readonly signature: string
  /** Validity of a presigned URL in seconds. Undefined for a signed header. */
  readonly expires?: number
}

const week = 7 * 24 * 3600

/** Reads the claim of a request from its Authorization header or query. Throws if neither or both contain a claim. */
export function readClaim(call: Call): Claim {
  const header = call.headers.get('authorization')
  const presigned = call.query.has('X-Amz-Algorithm') || call.query.has('X-Amz-Signature')
  if (call.headers.has('x-amz-security-token') || call.query.has('X-Amz-Security-Token'))
    throw new S3Error('InvalidToken', 'Temporary credentials are not supported.')
  if (header !== undefined && presigned)
    throw new S3Error('InvalidRequest', 'Only one auth mechanism allowed: a signed header or a presigned query.')
  if (header !== undefined) return readHeader(header, call)
  if (presigned) return readQuery(call)
  throw new S3Error('AccessDenied', 'Access Denied')
}

function readHeader(header: string, call: Call): Claim {
  const malformed = (why: string) => new S3Error('AuthorizationHeaderMalformed', `The authorization header ${why}.`)
  if (!header.startsWith(`${algorithm} `)) throw malformed(`must start with ${algorithm}`)
  const fields = new Map(
    header
      .slice(algorithm.length + 1)
      .split(',')
      .map((field) => [field.slice(0, field.indexOf('=')).trim(), field.slice(field.indexOf('=') + 1).trim()]),
  )
  const credential = fields.get('Credential')?.match(credentialShape)?.groups
  const signedHeaders = fields.get('SignedHeaders')
  const signature = fields.get('Signature')
  if (!credential || !signedHeaders || !signature || fields.size !== 3) throw malformed('is invalid')
  const timestamp = call.headers.get('x-amz-date') ?? fromHttpDate(call.headers.get('date'))
  if (!timestamp) throw new S3Error('AccessDenied', 'AWS authentication requires a valid Date or x-amz-date header.')
  return { ...readCredential(credential), timestamp, signedHeaders: signedHeaders.split(';'), signature }
}

function readQuery({ query }: Call): Claim {
  const malformed = (why: string) => new S3Error('AuthorizationQueryParametersError', why)
  const field = (name: string): string => {
    const value = query.get(name)
    if (!value) throw malformed(`A presigned query requires ${name}.`)
    return value
  }
  if (field('X-Amz-Algorithm') !== algorithm) throw malformed(`X-Amz-Algorithm only supports ${algorithm}.`)
  const credential = field('X-Amz-Credential').match(credentialShape)?.groups
  if (!credential) throw malformed('X-Amz-Credential is invalid.')
  const expires = /^\d{1,9}$/.test(field('X-Amz-Expires')) ? Number(field('X-Amz-Expires')) : Number.NaN
  if (!(expires > 0 && expires <= week))
    throw malformed('X-Amz-Expires must be a number of seconds from 1 to a week (604800).')
  const signedHeaders = field('X-Amz-SignedHeaders').split(';')
  const timestamp = field('X-Amz-Date')
  return { ...readCredential(credential), timestamp, signedHeaders, signature: field('X-Amz-Signature'), expires }
}

const credentialShape = /^(?<accessKey>.+)\/(?<date>\d{8})\/(?<region>[^/]+)\/(?<service>[^/]+)\/aws4_request$/

function readCredential(groups: Record<string, string>): Pick<Claim, 'accessKey' | 'date' | 'region' | 'service'> {
  const { accessKey = '', date = '', region = '', service = '' } = groups
  return { accessKey, date, region, service }
}

function fromHttpDate(value: string | undefined): string | undefined {
  const time = Date.parse(value ?? '')
  return Number.isNaN(time) ? undefined : `${new Date(time).toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`
}
