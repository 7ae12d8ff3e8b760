import type { Recipe } from './recipe.ts'

/** Reasons why an image has no variants. */
export type ImageFault = 'damaged' | 'too_many_pixels' | 'too_complex'

/** An image after its EXIF orientation is applied. */
export interface ImageFacts {
  width: number
  height: number
  frames: number
  alpha: boolean
  blurhash: string
}

export interface MadeImage {
  bytes: Uint8Array
  contentType: string
  width: number
  height: number
}

export type Measured = { facts: ImageFacts } | { fault: ImageFault }

/** `original` means that the source itself is the result. `result_too_large` is a fault of the recipe. */
export type Transformed = { made: MadeImage } | { original: true } | { fault: ImageFault | 'result_too_large' }

export interface ImageCall {
  signal: AbortSignal
}

/**
 * The image engine. It decodes untrusted images in processes of their own. Throws `TransientEngineError` with code
 * `timeout` or `killed` if the process took too long or crashed.
 */
export interface ImageEngine {
  measure(source: Uint8Array, call: ImageCall): Promise<Measured>
  transform(source: Uint8Array, recipe: Recipe, call: ImageCall): Promise<Transformed>
}

/** Reads the bytes of an original. The bytes under a key never change. */
export interface ImageSources {
  read(key: string, signal: AbortSignal): Promise<Uint8Array>
}
