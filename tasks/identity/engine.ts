import { z } from 'zod'
import type { DocumentCheck, DocumentFacts, UnreadReason } from '#sql/identity/readings.ts'

/** The two pictures of a comparison. */
export const imageNames = ['image_a', 'image_b'] as const

/** The name of a picture in requests and refusals. */
export type ImageName = (typeof imageNames)[number]

/** Why a picture cannot be compared. */
export const RefusalCode = z.enum([
  'unsupported_image_format',
  'unreadable_image',
  'image_too_large',
  'no_face_detected',
  'multiple_faces',
  'face_too_small',
])

/** A picture that cannot be compared, with a sentence for people. */
export const Refusal = z.object({ image: z.enum(imageNames), code: RefusalCode, message: z.string() })

/** A picture that cannot be compared. */
export type Refusal = z.infer<typeof Refusal>

/** The face that was compared; lengths in pixels of the picture as it is seen, its EXIF orientation applied. */
export const Face = z.object({
  bounding_box: z.object({ x: z.int(), y: z.int(), width: z.int(), height: z.int() }),
  confidence: z.number().min(0).max(1),
  count: z.int().describe('Number of faces. Small faces behind the compared face are not counted.'),
  quality: z.object({
    sharpness: z.number().min(0).max(1),
    brightness: z.number().min(0).max(1),
    width_px: z.int().describe('Position and size of the face'),
  }),
})

/** The face that was compared. */
export type Face = z.infer<typeof Face>

/** What became of a comparison; `distance` is the Euclidean one of the two descriptors. */
export const Comparison = z.union([
  z.object({
    distance: z.number(),
    faces: z.object({ a: Face, b: Face }),
    model: z.object({ name: z.string(), version: z.string() }),
  }),
  z.object({ refusals: z.array(Refusal).min(1) }),
])

export type Comparison = z.infer<typeof Comparison>

/** What the pool `identity` lends its tasks. */
export interface FaceEngine {
  /** Resolves when the models are loaded, which begins with the first call; rejects when they cannot be. */
  ready(): Promise<void>
  /** Compares the faces of two pictures, which are taken away and overwritten. Descriptors never leave the engine. */
  compare(images: Readonly<Record<ImageName, Uint8Array<ArrayBuffer>>>, signal: AbortSignal): Promise<Comparison>
}

/** What came of reading a document: what its lines say, or why there is nothing. */
export type DocumentReading = { facts: DocumentFacts; checks: DocumentCheck[] } | { reason: UnreadReason }

/** Reads the machine-readable lines of documents (ICAO 9303: TD1, TD2 and TD3). */
export interface DocumentReader {
  /** Reads a picture of a media type; throws an `EngineTrouble` where another try may end better. */
  read(picture: { bytes: Uint8Array; type: string | null }, signal: AbortSignal): Promise<DocumentReading>
}
