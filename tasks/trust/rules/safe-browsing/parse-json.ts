import { FeedError } from '../feed-error.ts'

export function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    throw new FeedError('The response of Safe Browsing is not valid JSON.')
  }
}
