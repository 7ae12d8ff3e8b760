import { http, port, text } from './values.ts'

export const storage = {
  S3_ENDPOINT: http.optional().describe('S3 endpoint for workers and the ingress. Default: the embedded store.'),
  S3_PUBLIC_ENDPOINT: http.optional().describe('S3 endpoint for clients. Default: S3_ENDPOINT.'),
  S3_REGION: text.default('us-east-1').describe('S3 region'),
  S3_BUCKET: text.default('millrace').describe('S3 bucket'),
  S3_ACCESS_KEY: text.optional().describe('S3 access key'),
  S3_SECRET_KEY: text.optional().describe('S3 secret key'),
  STORE_PORT: port.default(0).describe('Port of the embedded store. 0 selects a free port, which is then kept.'),
}
