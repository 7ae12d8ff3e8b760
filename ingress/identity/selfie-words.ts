import type { z } from 'zod'
import type { FaceReason } from '#sql/identity/face-checks.ts'
import type { RefusalCode } from '#tasks/identity/engine.ts'

const refusals: Readonly<Record<z.infer<typeof RefusalCode>, string>> = {
  unsupported_image_format: 'is not JPEG, PNG or WebP.',
  unreadable_image: 'is damaged.',
  image_too_large: 'has too many pixels.',
  no_face_detected: 'shows no face. Hold the camera at eye level and avoid light from behind.',
  multiple_faces: 'shows several people. Make sure that you are alone in the picture.',
  face_too_small: 'shows a face that is too small. Move closer.',
}

const documentRefusals: Partial<Record<z.infer<typeof RefusalCode>, string>> = {
  no_face_detected: 'No photo was found on the document. Take a photo of the side with your picture.',
  multiple_faces: 'Several photos were found on the document. Take a photo of only your document.',
  face_too_small: 'The photo on the document is too small. Move closer to the document.',
}

/** Returns the advice to the person. A refusal without a frame is about the document. */
export function refusalMessage({ frame, code }: { frame: number | null; code: z.infer<typeof RefusalCode> }) {
  if (frame === null) {
    const message = documentRefusals[code] ?? `The photo of the document ${refusals[code]}`
    return { code: `document_${code}`, message: `${message} Then take the selfie again.` }
  }
  return { code, message: `Photo ${frame + 1} ${refusals[code]}` }
}

const reasons: Readonly<Record<FaceReason['code'], string>> = {
  different_face: 'Your face could not be matched with the document. Look straight into the camera, in even light.',
  uncertain_face: 'Your face could not be matched with the document. Look straight into the camera, in even light.',
  wrong_pose: 'A turn of the head was missing or in the wrong direction. Follow the order on the screen.',
  unclear_pose: 'A turn of the head was too small. Turn further, but keep both eyes visible.',
  other_person: 'The photos do not show the same person. Make sure that you are alone in the picture.',
  uncertain_person: 'The photos are too different. Keep the same light and distance.',
}

/** Returns the advice to the person, without any figures. */
export function faceMessage(all: readonly FaceReason[]): { code: string; message: string } {
  const worst = all.find(({ code }) => code === 'other_person') ?? all[0]
  const code = worst?.code ?? 'uncertain_face'
  return { code, message: reasons[code] }
}
