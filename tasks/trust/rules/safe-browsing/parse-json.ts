import { FeedError } from '../feed-error.ts'

/** Parses a response. Throws a `FeedError` if it is not JSON. */
export function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    throw new FeedError('The response of Safe Browsing is not valid JSON.')
  }
}
