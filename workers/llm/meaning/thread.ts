/** Worker thread of the sentence model. The model is loaded when the thread starts. */
import { encode } from './encoder.ts'

export const work = async (texts: readonly string[]): Promise<Float32Array[]> => await encode(texts)
