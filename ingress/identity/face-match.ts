import { z } from 'zod'
import { config } from '#lib/config.ts'
import { Problem, unavailable } from '#lib/errors.ts'
import { Face, type Refusal, RefusalCode } from '#tasks/identity/engine.ts'
import { answerMs, matchFaces } from '#tasks/identity/match-faces.ts'
import { decideByDistance } from '#tasks/identity/rules/face-decision.ts'
import { noAnswerInTime, problem } from '../http/problem-kinds.ts'
import { route } from '../http/route.ts'
import { questions } from '../http/services.ts'
import { faceImages } from './face-images.ts'
import { createPicture } from './picture.ts'

/** Maximum sizes in bytes of an image, and of a request with two images in base64. */
const [imageBytes, bodyBytes] = [8 * 1024 * 1024, 16 * 1024 * 1024]

/** Default maximum distance of a match. */
const usualThreshold = 0.5

const loadingSeconds = 5

const Picture = createPicture(imageBytes).describe(
  'Image of one person in JPEG, PNG or WebP, as base64 or `data:` URI. Up to 8 MiB and 40 megapixels.',
)

const refusals = {
  unsupported_image_format: 'The image is not JPEG, PNG or WebP.',
  unreadable_image: 'The image is damaged.',
  image_too_large: 'The image has more than 40 megapixels.',
  no_face_detected: 'The image shows no face.',
  multiple_faces: 'The image shows several people.',
  face_too_small: 'The face in the image is too small.',
} satisfies Record<z.infer<typeof RefusalCode>, string>

export const create = route({
  method: 'POST',
  path: '/face-match',
  summary: 'Compare the faces in two images',
  description:
    'The images stay in memory until the response and are never stored or logged. A match does not prove that the person is present, because liveness is not checked. Let a person decide. Up to 16 MiB per request.',
  scope: 'identity:read',
  bodyLimit: bodyBytes,
  atOnce: { requests: config.FACE_PLACES, ofOne: Math.ceil(config.FACE_PLACES * 0.75) },
  enqueues: matchFaces,
  body: z.strictObject({
    image_a: Picture,
    image_b: Picture,
    threshold: z
      .number()
      .min(0.3)
      .max(0.7)
      .default(usualThreshold)
      .describe('Maximum distance for a match. Up to 0.1 above this value, the result is `inconclusive`.'),
  }),
  status: 200,
  reply: z.object({
    match: z.boolean(),
    decision: z.enum(['match', 'no_match', 'inconclusive']),
    similarity: z.number().min(0).max(1).describe('Similarity: 1 − distance / 1.2'),
    distance: z.number().describe('Euclidean distance between the two descriptors'),
    threshold: z.number(),
    faces: z.object({ a: Face, b: Face }),
    liveness: z.literal('not_performed'),
    model: z.object({ name: z.string(), version: z.string() }),
    images_stored: z.literal(false),
  }),
  problems: [
    ...RefusalCode.options.map((code) => problem(400, code, refusals[code])),
    'upstream_error',
    noAnswerInTime,
  ],
  async handle({ body: { image_a, image_b, threshold }, org, services }) {
    using held = await services(faceImages).hold({ image_a, image_b })
    const { address, token } = held
    const compared = await services(questions).ask(matchFaces, { address, token }, { timeout: answerMs, orgId: org.id })
    if ('not' in compared) {
      if (compared.not === 'loading')
        throw unavailable('The face engine is starting. Try again in a few seconds.', loadingSeconds)
      throw new Problem(504, 'server_error', 'The comparison took too long. Try again.', { retryAfter: loadingSeconds })
    }
    if ('refusals' in compared) throw refused(compared.refusals)
    const { faces, model } = compared
    const distance = rounded(compared.distance)
    const decision = decideByDistance(distance, threshold)
    return {
      match: decision === 'match',
      decision,
      similarity: rounded(Math.max(0, 1 - distance / 1.2)),
      distance,
      threshold,
      faces,
      liveness: 'not_performed' as const,
      model,
      images_stored: false as const,
    }
  },
})

const rounded = (value: number) => Math.round(value * 1e4) / 1e4

/** Returns a 400 that contains every invalid image. Its code is the code of the first one. */
function refused(all: readonly Refusal[]): Problem {
  const details = all.map(({ image, code, message }) => ({ field: `body.${image}`, code, issue: message }))
  const message = details.map(({ field, issue }) => `${field} ${issue}`).join('; ')
  return new Problem(400, all[0]?.code ?? 'bad_request', message, { details })
}
