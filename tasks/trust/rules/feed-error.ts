/** Thrown if a feed could not be imported. The message is a sentence for operators. */
export class FeedError extends Error {
  override name = 'FeedError'
}
