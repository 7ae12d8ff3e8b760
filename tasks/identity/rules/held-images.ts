import type { FaceEngine } from '../engine.ts'

/** Timeout in milliseconds for loading the engine. On a busy machine, loading takes longer. */
export const loadMs = 8_000

/** True if the engine is ready in time. Otherwise it continues to load for the next request. */
export async function isReady(faces: Pick<FaceEngine, 'ready'>): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(resolve, loadMs, false)
  const ready = faces.ready().then(() => true)
  return await Promise.race([ready, late]).finally(() => clearTimeout(timer))
}

/** Fetches an image from the ingress process that has it in memory. Returns `null` if it is no longer available. */
export async function fetchImage(
  address: string,
  token: string,
  name: string,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer> | null> {
  // Uses plain fetch, because the URL is internal and the guards for customers’ URLs would reject it.
  const answer = await fetch(`${address}/${name}`, { headers: { authorization: `Bearer ${token}` }, signal })
  if (answer.status === 200) return new Uint8Array(await answer.arrayBuffer())
  await answer.body?.cancel()
  return null
}
