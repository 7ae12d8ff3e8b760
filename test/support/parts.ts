import type { Ask, Reply } from './ingress.ts'

/** The smallest part of storage, in bytes. */
export const partBytes = 5 * 1024 ** 2

type AskFor = (request: string, options?: Ask) => Promise<Reply>

/** Signs parts of a file's upload. Returns the URL and the size of each. */
export async function signed(
  ask: AskFor,
  id: string,
  numbers: readonly number[],
  options: Ask = {},
): Promise<{ part_number: number; url: string; bytes: number }[]> {
  const reply = await ask(`POST /v1/files/uploads/${id}/parts/sign`, { body: { part_numbers: numbers }, ...options })
  if (reply.status !== 201) throw new Error(`sign: ${reply.status} ${reply.text}`)
  return reply.body.parts
}

/** Sends parts of a file. */
export async function sendParts(
  ask: AskFor,
  id: string,
  bytes: Uint8Array,
  numbers: readonly number[],
  options: Ask = {},
): Promise<void> {
  for (const { part_number, url, bytes: size } of await signed(ask, id, numbers, options)) {
    const start = (part_number - 1) * partBytes
    const answer = await fetch(url, { method: 'PUT', body: bytes.slice(start, start + size) })
    if (answer.status !== 200) throw new Error(`part ${part_number}: ${answer.status} ${await answer.text()}`)
  }
}
