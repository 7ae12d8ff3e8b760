/**
 * All error codes of this store with their HTTP statuses. Every authentication failure is 403. S3 returns 400 for a
 * malformed claim, a wrong scope and a body that does not match its signature.
 */
const statuses = {
  AccessDenied: 403,
  AuthorizationHeaderMalformed: 403,
  AuthorizationQueryParametersError: 403,
  BadDigest: 400,
  BadRequest: 400,
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
  InvalidTag: 400,
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

export type ErrorCode = keyof typeof statuses

export interface ErrorExtras {
  readonly details?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
}

/** An error with S3’s messages. `details` become elements of the XML body. `headers` are added to the response. */
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
