import type { IncomingMessage, ServerResponse } from 'node:http'

const exposed = [
  'Accept-Ranges',
  'Content-Disposition',
  'Content-Encoding',
  'Content-Length',
  'Content-Range',
  'ETag',
  'Last-Modified',
  'x-amz-checksum-crc32',
  'x-amz-checksum-crc32c',
  'x-amz-checksum-crc64nvme',
  'x-amz-checksum-sha1',
  'x-amz-checksum-sha256',
  'x-amz-checksum-type',
  'x-amz-mp-parts-count',
  'x-amz-request-id',
].join(', ')

/** Allows web pages of any origin to read a response. Access depends on signatures, never on cookies. */
export function allowOrigins(response: ServerResponse): void {
  response.setHeader('access-control-allow-origin', '*')
  response.setHeader('access-control-expose-headers', exposed)
}

/** Responds to the unsigned preflight of a browser (Fetch, 3.3.7 "CORS-preflight fetch"). */
export function answerPreflight(request: IncomingMessage, response: ServerResponse): void {
  // The wildcard does not include Authorization, so the requested headers are listed.
  const headers = request.headers['access-control-request-headers']
  response.writeHead(204, {
    'access-control-allow-methods': 'GET, HEAD, PUT, POST, DELETE',
    ...(headers === undefined ? {} : { 'access-control-allow-headers': headers }),
    'access-control-max-age': '3600',
    vary: 'Access-Control-Request-Headers',
  })
  response.end()
}
