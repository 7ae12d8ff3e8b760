/** Why a feed could not be imported, in a sentence for operators. */
export class FeedError extends Error {
  override name = 'FeedError'
}
