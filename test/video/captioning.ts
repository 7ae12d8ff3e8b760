import { until } from '../support/until.ts'
import type { VideoStack } from '../support/video-stack.ts'

/** Asks for captions of a stack's assets, and waits for what becomes of them. */
export function captioning(stack: VideoStack) {
  const caption = (assetId: string, body: object = { language: 'en' }, key = stack.key) =>
    stack.ask(`POST /v1/stream/assets/${assetId}/captions`, { key, body })
  const captionsOf = async (assetId: string) => (await stack.read(assetId)).captions[0]
  const ended = (assetId: string, state: string) =>
    until(
      async () => {
        const now = await captionsOf(assetId)
        return now?.state === state && now
      },
      { timeout: 60_000, what: `captions are ${state}` },
    )
  return { caption, captionsOf, ended }
}
