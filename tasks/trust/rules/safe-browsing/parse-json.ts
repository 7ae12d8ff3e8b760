import { FeedError } from '../feed-error.ts'

/** Parses an answer; throws a `FeedError` for what is no JSON. */
export function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    throw new FeedError('The response of Safe Browsing is not valid JSON.')
  }
}
