/** Thrown if a watermark image cannot be used. The client receives `message`. */
export class BadImageError extends Error {
  override name = 'BadImageError'
}
