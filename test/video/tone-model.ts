/**
 * A speech model of the NeMo CTC kind, small enough for tests: it hears `hum` in a low tone and `beep` in a high one. It is
 * written as ONNX by hand, so that the real engine can run without a downloaded model.
 */
type Field = [number: number, value: number | string | Uint8Array]

function varint(value: number): number[] {
  const bytes: number[] = []
  for (let left = value; ; left = Math.floor(left / 128)) {
    if (left < 128) return [...bytes, left]
    bytes.push((left % 128) | 128)
  }
}

/** Writes a message of protocol buffers: numbers, texts and other messages. */
function message(...fields: Field[]): Buffer {
  return Buffer.concat(
    fields.map(([number, value]) => {
      if (typeof value === 'number') return Buffer.from([...varint(number * 8), ...varint(value)])
      const bytes = Buffer.from(value as string)
      return Buffer.concat([Buffer.from([...varint(number * 8 + 2), ...varint(bytes.length)]), bytes])
    }),
  )
}

const [float, int64, ints] = [1, 7, 7]

function tensor(name: string, dims: number[], values: readonly number[]): Buffer {
  const raw = Buffer.alloc(values.length * 4)
  for (const [i, value] of values.entries()) raw.writeFloatLE(value, i * 4)
  return message(...dims.map((dim): Field => [1, dim]), [2, float], [8, name], [9, raw])
}

const node = (op: string, inputs: string[], output: string, ...attributes: Buffer[]) =>
  message(
    ...inputs.map((input): Field => [1, input]),
    [2, output],
    [4, op],
    ...attributes.map((attribute): Field => [5, attribute]),
  )

function port(name: string, type: number, dims: (number | string)[]): Buffer {
  const shape = message(...dims.map((dim): Field => [1, message([typeof dim === 'number' ? 1 : 2, dim])]))
  return message([1, name], [2, message([1, message([1, type], [2, shape])])])
}

const [bands, words] = [80, ['▁hum', '▁beep', '<blk>']]

/** Bands of the loudness that the engine measures, around 300 Hz and around 2,000 Hz. */
const [low, high] = [
  [5, 10],
  [38, 44],
] as const

/** Weights of each band for each word: a tone counts against the other one. Silence counts for neither. */
function weights(): number[] {
  const within = (band: number, [from, to]: readonly [number, number]) =>
    band >= from && band < to ? 1 / (to - from) : 0
  return Array.from({ length: bands }, (_, band) => {
    const loud = within(band, low) - within(band, high)
    return [loud, -loud, 0]
  }).flat()
}

export const toneTokens = words.map((word, i) => `${word} ${i}\n`).join('')

export function toneModel(): Buffer {
  const swap = message([1, 'perm'], [20, ints], [8, 0], [8, 2], [8, 1])
  const graph = message(
    [1, node('Transpose', ['audio_signal'], 'frames', swap)],
    [1, node('MatMul', ['frames', 'weights'], 'heard')],
    [1, node('Add', ['heard', 'threshold'], 'sums')],
    [1, node('LogSoftmax', ['sums'], 'logprobs', message([1, 'axis'], [20, 2], [3, 2]))],
    [2, 'tones'],
    [5, tensor('weights', [bands, words.length], weights())],
    [5, tensor('threshold', [words.length], [0, 0, 3])],
    [11, port('audio_signal', float, ['N', bands, 'T'])],
    [11, port('length', int64, ['N'])],
    [12, port('logprobs', float, ['N', 'T', words.length])],
  )
  const facts = {
    model_type: 'EncDecCTCModelBPE',
    vocab_size: String(words.length - 1),
    subsampling_factor: '1',
    normalize_type: '',
  }
  return message(
    [1, 8],
    [7, graph],
    [8, message([1, ''], [2, 13])],
    ...Object.entries(facts).map(([key, value]): Field => [14, message([1, key], [2, value])]),
  )
}
