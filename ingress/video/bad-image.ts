/** An unusable watermark image. The client sees `message`. */
export class BadImageError extends Error {
  override name = 'BadImageError'
}
