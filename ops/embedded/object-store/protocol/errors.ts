/**
 * Every error code this store answers with, and its HTTP status.
 * Whatever fails authentication is 403 here; S3 itself answers 400 for a malformed claim, a wrong scope and a body that
 * is not the signed one.
 */
const statuses = {
  AccessDenied: 403,
  AuthorizationHeaderMalformed: 403,
  AuthorizationQueryParametersError: 403,
  BadDigest: 400,
  EntityTooLarge: 400,
  EntityTooSmall: 400,
  IncompleteBody: 400,
  InternalError: 500,
  InvalidAccessKeyId: 403,
  InvalidArgument: 400,
  InvalidDigest: 400,
  InvalidPart: 400,
  InvalidPartNumber: 416,
  InvalidPartOrder: 400,
  InvalidRange: 416,
  InvalidRequest: 400,
  InvalidToken: 403,
  InvalidURI: 400,
  KeyTooLongError: 400,
  MalformedTrailerError: 400,
  MalformedXML: 400,
  MetadataTooLarge: 400,
  MethodNotAllowed: 405,
  MissingContentLength: 411,
  NoSuchBucket: 404,
  NoSuchKey: 404,
  NoSuchLifecycleConfiguration: 404,
  NoSuchUpload: 404,
  NotImplemented: 501,
  PreconditionFailed: 412,
  RequestTimeTooSkewed: 403,
  SignatureDoesNotMatch: 403,
  XAmzContentSHA256Mismatch: 403,
} as const

/** One of S3's error codes. */
export type ErrorCode = keyof typeof statuses

/** What an error answer may carry besides its code and message. */
export interface ErrorExtras {
  readonly details?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
}

/** A refusal in S3's own words; `details` become elements of its XML body, `headers` go with the answer. */
export class S3Error extends Error {
  override name = 'S3Error'
  readonly code: ErrorCode
  readonly status: number
  readonly details: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>

  constructor(code: ErrorCode, message: string, { details = {}, headers = {} }: ErrorExtras = {}) {
    super(message)
    this.code = code
    this.status = statuses[code]
    this.details = details
    this.headers = headers
  }
}
