import { maxSourceBytes, transformableTypes } from '#tasks/files/rules/images/transformable.ts'
import { problem } from '../../http/problem-kinds.ts'

export const notTransformable = problem(409, 'not_transformable', 'The file is not an image that can be transformed.')

export const presetsOnly = problem(
  403,
  'presets_only',
  'The organisation allows only presets and signed parameters of images.',
)

export const storageFull = problem(409, 'storage_full', 'The organisation has no storage left for another variant.')

export const imageProblems = [notTransformable, presetsOnly, storageFull]

const megabytes = maxSourceBytes / 2 ** 20

/** Returns the reason why a file of this type and size has no variants. */
export function whyNotTransformable({ sniffed_type }: { sniffed_type: string | null }): string {
  if (sniffed_type === 'image/svg+xml')
    return 'SVG images are not transformed. Request the URL without parameters: browsers scale SVG images.'
  const types = transformableTypes.map((type) => type.replace('image/', '')).join(', ')
  return `Only images (${types}) of up to ${megabytes} MiB are transformed. Request the URL without parameters.`
}

/** Returns the reason why an image has no variants, from the fault that the engine found. */
export const faultSentences: Readonly<Record<string, string>> = {
  damaged: 'The image is damaged or in an unsupported variant of its format. Upload another file.',
  too_many_pixels: 'The image has more than 64 megapixels. Upload a smaller image.',
  too_complex: 'The image takes too much time or memory to decode. Upload it in another format.',
}
