/** An unusable watermark image. The client sees `message`. */
export class BadImage extends Error {
  override name = 'BadImage'
}
