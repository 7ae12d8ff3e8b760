/** Reason why a feed could not be imported, as a sentence for operators. */
export class FeedError extends Error {
  override name = 'FeedError'
}
