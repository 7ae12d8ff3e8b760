/** A picture that is none of ours to show; `message` goes to the client. */
export class BadImage extends Error {
  override name = 'BadImage'
}
