/** Worker thread of the face engine. It answers one question per message. */
import { parentPort } from 'node:worker_threads'
import { type Comparison, type ImageName, imageNames } from '#tasks/identity/engine.ts'
import { type Answer, type LoadedMessage, listImages, type Question } from './engine.ts'
import { examineFaces } from './examine.ts'
import { type DescribedFace, describeFace, distanceOf, model } from './model.ts'
import { ImageRefusalError, readPixels } from './pixels.ts'

type ImageResult = { name: ImageName } & ({ described: DescribedFace } | { refused: ImageRefusalError })

parentPort?.on('message', async (question: Question) => {
  let answer: Answer
  try {
    answer =
      'compare' in question
        ? { comparison: await compare(question.compare) }
        : { examination: await examineFaces(question.examine) }
  } catch (error) {
    answer = { failed: error instanceof Error ? error.message : String(error) }
  } finally {
    for (const image of listImages(question)) image.fill(0)
  }
  parentPort?.postMessage(answer)
})

parentPort?.postMessage('loaded' satisfies LoadedMessage)

async function compare(images: Readonly<Record<ImageName, Uint8Array>>): Promise<Comparison> {
  const examined: ImageResult[] = []
  for (const name of imageNames) examined.push({ name, ...(await examine(images[name])) })
  const refusals = examined.flatMap(({ name, ...found }) =>
    'refused' in found ? [{ image: name, code: found.refused.code, message: found.refused.message }] : [],
  )
  const [a, b] = examined.flatMap((found) => ('described' in found ? [found.described] : []))
  if (!a || !b) return { refusals }
  const distance = distanceOf(a, b)
  for (const { descriptor } of [a, b]) descriptor.fill(0)
  return { distance, faces: { a: a.face, b: b.face }, model }
}

async function examine(image: Uint8Array) {
  try {
    return { described: await describeFace(await readPixels(image)) }
  } catch (error) {
    if (error instanceof ImageRefusalError) return { refused: error }
    throw error
  }
}
