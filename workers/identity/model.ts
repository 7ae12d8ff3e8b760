import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import * as tf from '@tensorflow/tfjs'
import { setWasmPaths } from '@tensorflow/tfjs-backend-wasm'
import type { Face } from '#tasks/identity/engine.ts'
import { ImageRefusalError, type Pixels } from './pixels.ts'
import { measureQuality } from './quality.ts'
import { measureYaw } from './yaw.ts'

const require = createRequire(import.meta.url)
const folderOf = (name: string) => dirname(require.resolve(`${name}/package.json`))

// Other builds include a different TensorFlow or a native one.
const faceApi: typeof import('@vladmandic/face-api') = require('@vladmandic/face-api/dist/face-api.node-wasm.js')

/** dlib's ResNet with 29 layers, as included in face-api. Describes a face with 128 numbers. */
export const model = {
  name: 'face-api/dlib-resnet',
  version: String(require('@vladmandic/face-api/package.json').version),
}

const minConfidence = 0.3

/**
 * Minimum confidence of a second face, and its minimum area as a share of the largest face. People in the background do
 * not count.
 */
const second = { confidence: 0.5, area: 0.2 }

const minFace = 40

const detector = new faceApi.SsdMobilenetv1Options({ minConfidence, maxResults: 5 })

// By default, the library loads these files from a CDN.
setWasmPaths(`${folderOf('@tensorflow/tfjs-backend-wasm')}/dist/`)
await tf.setBackend('wasm')
await tf.ready()
const models = join(folderOf('@vladmandic/face-api'), 'model')
const { ssdMobilenetv1, faceLandmark68Net, faceRecognitionNet } = faceApi.nets
for (const net of [ssdMobilenetv1, faceLandmark68Net, faceRecognitionNet]) await net.loadFromDisk(models)

export interface DescribedFace {
  face: Face
  descriptor: Float32Array
  /** Turn of the head, see `measureYaw`. */
  yaw: number
}

/**
 * Finds and describes the only face of an image. Throws `Refused`. Never describes an area that is not a face, because
 * such descriptors match each other.
 */
export async function describeFace(pixels: Pixels): Promise<DescribedFace> {
  const input = tf.tensor3d(pixels.data, [pixels.height, pixels.width, 3], 'int32')
  try {
    const found = await faceApi
      .detectAllFaces(input as never, detector)
      .withFaceLandmarks()
      .withFaceDescriptors()
    const faces = found.sort((a, b) => b.detection.box.area - a.detection.box.area)
    const [largest] = faces
    if (!largest) throw new ImageRefusalError('no_face_detected', 'shows no face.')
    const others = faces.slice(1).filter(({ detection: { box, score } }) => {
      return score >= second.confidence && box.area >= second.area * largest.detection.box.area
    })
    if (others.length > 0)
      throw new ImageRefusalError('multiple_faces', `shows ${others.length + 1} faces; send an image of one person.`)
    const face = faceOf(largest.detection, pixels, faces.length)
    if (face.quality.width_px < minFace) {
      const message = `shows a face ${face.quality.width_px} pixels wide; at least ${minFace} are required.`
      throw new ImageRefusalError('face_too_small', message)
    }
    return { face, descriptor: largest.descriptor, yaw: measureYaw(largest.landmarks.positions) }
  } finally {
    input.dispose()
    pixels.data.fill(0)
  }
}

/** Returns the boxes of all faces in pixels of the original image, the largest first. Overwrites the pixels. */
export async function findFaces(pixels: Pixels): Promise<Detection[]> {
  const input = tf.tensor3d(pixels.data, [pixels.height, pixels.width, 3], 'int32')
  try {
    const found = await faceApi.detectAllFaces(input as never, detector)
    return found
      .sort((a, b) => b.box.area - a.box.area)
      .map(({ score, box }) => ({
        score,
        box: {
          x: (box.x - pixels.margin) * pixels.scale,
          y: (box.y - pixels.margin) * pixels.scale,
          width: box.width * pixels.scale,
          height: box.height * pixels.scale,
        },
      }))
  } finally {
    input.dispose()
    pixels.data.fill(0)
  }
}

export interface Detection {
  score: number
  box: { x: number; y: number; width: number; height: number }
}

function faceOf({ box, score }: Detection, pixels: Pixels, count: number): Face {
  const { scale, margin } = pixels
  const [x, y] = [box.x, box.y].map((at) => Math.round((at - margin) * scale)) as [number, number]
  const [width, height] = [box.width, box.height].map((length) => Math.round(length * scale)) as [number, number]
  return {
    bounding_box: { x, y, width, height },
    confidence: Math.min(1, score),
    count,
    quality: { ...measureQuality(pixels, box), width_px: width },
  }
}

/** Returns the Euclidean distance of the descriptors of two faces. */
export const distanceOf = (a: DescribedFace, b: DescribedFace): number =>
  Math.hypot(...a.descriptor.map((value, i) => value - (b.descriptor[i] ?? 0)))
