import { z } from 'zod'
import type { DocumentCheck, DocumentFacts, UnreadReason } from '#sql/identity/readings.ts'

export const imageNames = ['image_a', 'image_b'] as const

export type ImageName = (typeof imageNames)[number]

export const RefusalCode = z.enum([
  'unsupported_image_format',
  'unreadable_image',
  'image_too_large',
  'no_face_detected',
  'multiple_faces',
  'face_too_small',
])

export const Refusal = z.object({ image: z.enum(imageNames), code: RefusalCode, message: z.string() })

export type Refusal = z.infer<typeof Refusal>

/** The compared face. Lengths are in pixels after EXIF rotation. */
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

export type Face = z.infer<typeof Face>

/** Result of a comparison. `distance` is the Euclidean distance of the descriptors. */
export const Comparison = z.union([
  z.object({
    distance: z.number(),
    faces: z.object({ a: Face, b: Face }),
    model: z.object({ name: z.string(), version: z.string() }),
  }),
  z.object({ refusals: z.array(Refusal).min(1) }),
])

export type Comparison = z.infer<typeof Comparison>

/** A pose of a head as the person sees it: `left` is turned to the person's own left. */
export const Pose = z.enum(['centre', 'left', 'right'])

export type Pose = z.infer<typeof Pose>

/** The most frames of one examination. */
export const mostFrames = 5

/** Face of a frame: its turn (`measureYaw`), and the distances to the first frame and to the document. */
const FrameFace = z.object({ yaw: z.number(), toFirst: z.number(), toDocument: z.number(), face: Face })

/** Result of an examination. A refusal without a frame is about the document. Frames count from 0. */
export const Examination = z.union([
  z.object({
    document: Face,
    frames: z.array(FrameFace).min(1).max(mostFrames),
    model: z.object({ name: z.string(), version: z.string() }),
  }),
  z.object({
    refusals: z.array(z.object({ frame: z.int().nullable(), code: RefusalCode, message: z.string() })).min(1),
  }),
])

export type Examination = z.infer<typeof Examination>

/** Image of a document, and frames of the camera in order. Both are transferred and overwritten. */
export interface ExaminedImages {
  document: Uint8Array<ArrayBuffer>
  frames: Uint8Array<ArrayBuffer>[]
}

export interface FaceEngine {
  /** Resolves when the models are loaded. The first call starts loading. Rejects if the models cannot be loaded. */
  ready(): Promise<void>
  /** Compares the faces of two images, which are transferred and overwritten. Descriptors never leave the engine. */
  compare(images: Readonly<Record<ImageName, Uint8Array<ArrayBuffer>>>, signal: AbortSignal): Promise<Comparison>
  /** Compares the face on a document with the faces of frames, and measures the turns of the head. */
  examine(images: ExaminedImages, signal: AbortSignal): Promise<Examination>
}

export type DocumentReading = { facts: DocumentFacts; checks: DocumentCheck[] } | { reason: UnreadReason }

export interface DocumentReader {
  /** Reads an image of a media type. Throws a `TransientEngineError` if a retry may work. */
  read(picture: { bytes: Uint8Array; type: string | null }, signal: AbortSignal): Promise<DocumentReading>
}
