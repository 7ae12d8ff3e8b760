import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { type Api, ask } from '../video-client.ts'
import type { Step } from './video.ts'

export const identitySteps = (api: Api, signal: AbortSignal): Step[] => [
  { name: 'identity', run: () => compare(api, signal) },
]

const [times, pauseMs] = [12, 5_000]

const sample = join(
  dirname(fileURLToPath(import.meta.resolve('@vladmandic/face-api/package.json'))),
  'demo/sample1.jpg',
)

const face = (left: number, top: number) => sharp(sample).extract({ left, top, width: 300, height: 400 }).jpeg()

interface FaceMatch {
  decision: string
  distance: number
}

async function compare(api: Api, signal: AbortSignal): Promise<string> {
  const [one, poor, other] = await Promise.all(
    [face(350, 270), face(350, 270).resize(150).jpeg({ quality: 40 }), face(775, 340)].map(async (image) =>
      (await image.toBuffer()).toString('base64'),
    ),
  )
  const match = async (image_b: string | undefined) => {
    for (let left = times; ; left--) {
      try {
        return await ask<FaceMatch>(api, 'POST', '/v1/identity/face-match', { image_a: one, image_b })
      } catch (error) {
        if (left === 1 || !/: 50[34] /.test(String(error))) throw error
        await pause(pauseMs, undefined, { signal })
      }
    }
  }
  const [same, different] = [await match(poor), await match(other)]
  if (same.decision !== 'match' || different.decision === 'match')
    throw new Error(`The images were compared as ${same.decision} and ${different.decision}.`)
  return `two pictures of one person match (distance ${same.distance}), those of two people do not (${different.distance})`
}
