import { type Call, hasBody, toHeader } from './call.ts'
import { isChecksumOfEmptyBody } from './checksums.ts'
import { type Claim, readClaim } from './claim.ts'
import { S3Error } from './errors.ts'
import * as signature from './signature.ts'
import { encodePath } from './uri.ts'

export interface Identity {
  readonly accessKey: string
  readonly secretKey: string
  readonly region: string
}

export interface Grant {
  /** The signed value of `x-amz-content-sha256`: a digest in hex, or the framing of the body. */
  readonly payload: string
  readonly seed: {
    readonly key: Buffer
    readonly timestamp: string
    readonly scope: string
    readonly signature: string
  }
}

const skew = 15 * 60 * 1000

/** Verifies the signature of a request in its header or query. Throws a 403 unless `identity` signed it recently. */
export function authorize(call: Call, identity: Identity, now = Date.now()): Grant {
  const claim = readClaim(call)
  if (!signature.isSame(claim.accessKey, identity.accessKey))
    throw new S3Error('InvalidAccessKeyId', 'The AWS Access Key Id you provided does not exist in our records.')
  checkScope(claim, identity)
  checkTime(claim, now)
  checkCoverage(claim, call)
  const payload = payloadOf(call, claim)
  const scope = signature.scopeOf(claim.date, identity.region)
  const key = signature.signingKey(identity.secretKey, claim.date, identity.region)
  const signed = candidates(call, claim, payload).some(({ canonical, encoding }) =>
    signature.isSame(
      claim.signature,
      signature.sign(key, signature.stringToSign(claim.timestamp, scope, canonical, encoding)),
    ),
  )
  if (!signed)
    throw new S3Error(
      'SignatureDoesNotMatch',
      'The request signature we calculated does not match the signature you provided. Check your key and signing method.',
    )
  if (claim.expires !== undefined) adoptHoisted(call)
  return { payload, seed: { key, timestamp: claim.timestamp, scope, signature: claim.signature } }
}

function checkScope(claim: Claim, identity: Identity): void {
  const code = claim.expires === undefined ? 'AuthorizationHeaderMalformed' : 'AuthorizationQueryParametersError'
  if (claim.region !== identity.region)
    throw new S3Error(code, `The region '${claim.region}' is wrong; expecting '${identity.region}'.`, {
      details: { Region: identity.region },
    })
  if (claim.service !== 's3') throw new S3Error(code, `The service '${claim.service}' is wrong; expecting 's3'.`)
  if (!claim.timestamp.startsWith(claim.date))
    throw new S3Error(code, 'The date of the credential scope differs from the date of the request.')
}

function checkTime({ timestamp, expires }: Claim, now: number): void {
  const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(timestamp)
  const time = parts ? Date.parse(`${parts.slice(1, 4).join('-')}T${parts.slice(4).join(':')}Z`) : Number.NaN
  if (Number.isNaN(time))
    throw new S3Error('AccessDenied', 'The date must be in ISO 8601 basic format, such as 20260131T235959Z.')
  if (expires === undefined) {
    if (Math.abs(now - time) > skew)
      throw new S3Error(
        'RequestTimeTooSkewed',
        "The difference between the request time and the server's is too large.",
        {
          details: {
            RequestTime: timestamp,
            ServerTime: new Date(now).toISOString(),
            MaxAllowedSkewMilliseconds: `${skew}`,
          },
        },
      )
  } else if (time - now > skew) {
    throw new S3Error('AccessDenied', 'Request is not valid yet')
  } else if (now > time + expires * 1000) {
    throw new S3Error('AccessDenied', 'Request has expired', {
      details: { Expires: new Date(time + expires * 1000).toISOString(), ServerTime: new Date(now).toISOString() },
    })
  }
}

/** "The CanonicalHeaders list must include the HTTP host header and any x-amz-* headers in the request." */
function checkCoverage({ signedHeaders }: Claim, { headers }: Call): void {
  const unsigned = [...headers.keys()].filter((name) => name.startsWith('x-amz-') || name === 'host')
  const missing = unsigned.filter((name) => !signedHeaders.includes(name))
  if (missing.length > 0 || !headers.has('host'))
    throw new S3Error('AccessDenied', 'There were headers present in the request which were not signed', {
      details: { HeadersNotSigned: missing.join(', ') },
    })
  const absent = signedHeaders.filter((name) => !headers.has(name))
  if (absent.length > 0)
    throw new S3Error('SignatureDoesNotMatch', `The signed headers ${absent.join(', ')} are not in the request.`)
}

function payloadOf(call: Call, claim: Claim): string {
  const header = call.headers.get('x-amz-content-sha256')
  if (header !== undefined) return header
  if (claim.expires !== undefined) return call.query.get('X-Amz-Content-Sha256') ?? 'UNSIGNED-PAYLOAD'
  if (hasBody(call.request))
    throw new S3Error('InvalidRequest', 'Missing required header for this request: x-amz-content-sha256')
  return signature.emptyHash
}

/**
 * Returns the canonical requests that the client can have signed. Clients differ in two ways without a change of
 * meaning. curl signs the path as sent, while S3 signs it decoded and encoded again. Some clients sign header bytes
 * beyond ASCII as UTF-8, others as Latin-1.
 */
function candidates(call: Call, claim: Claim, payloadHash: string) {
  const pairs = call.pairs.filter(([name]) => name !== 'X-Amz-Signature' || claim.expires === undefined)
  const headers = claim.signedHeaders.map((name) => [name, call.headers.get(name) ?? ''] as const)
  const uris = new Set([encodePath(call.path), call.rawPath])
  return [...uris].flatMap((uri) => {
    const canonical = signature.canonicalRequest({ method: call.method, uri, pairs, headers, payloadHash })
    return (['utf8', 'latin1'] as const).map((encoding) => ({ canonical, encoding }))
  })
}

/**
 * Presigning moves `x-amz-*` headers into the query, so this moves them back. An SDK with default settings presigns the
 * checksum of an empty body. It is ignored, because it does not describe the body.
 */
function adoptHoisted({ pairs, headers }: Call): void {
  for (const [name, value] of pairs) {
    const header = name.toLowerCase()
    if (header.startsWith('x-amz-') && !headers.has(header) && !isChecksumOfEmptyBody(header, value))
      headers.set(header, toHeader(value))
  }
}
