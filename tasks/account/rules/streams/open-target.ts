import { z } from 'zod'
import { mask, maskText } from '#lib/mask.ts'
import type { Seal } from '#lib/seal.ts'
import { getSecretContext, type Target } from '#sql/account/streams/streams.ts'
import type { OpenTarget, SendResult } from './engine.ts'

const Secrets = z.record(z.string(), z.unknown())

/** Returns the target with its secrets. Null if the secrets cannot be decrypted. */
export function openTarget({ id, org_id: orgId, kind, settings, secrets }: Target, seal: Seal): OpenTarget | null {
  const text = seal.open(secrets, getSecretContext(id))
  return text === null ? null : { id, orgId, kind, settings, secrets: Secrets.parse(JSON.parse(text)) }
}

/** Error of a target whose secrets cannot be decrypted. */
export const sealError: SendResult = {
  outcome: 'failed',
  status: null,
  error: 'The secrets of this stream cannot be decrypted. Update the stream with its secrets.',
  answer: null,
  dropped: 0,
}

const [errorCharacters, answerCharacters] = [300, 1_000]

/** Removes secrets from the texts of a result. The server can return the request. */
export function maskResult(result: SendResult, { secrets }: Pick<OpenTarget, 'secrets'>): SendResult {
  const values = [...listStrings(secrets)].filter((value) => value.length >= 4)
  const clean = (text: string | null, most: number) =>
    text === null
      ? null
      : maskText(values.reduce((left, value) => left.replaceAll(value, mask), text))
          // Postgres cannot store the character NUL.
          .replaceAll('\0', '')
          .slice(0, most)
  return { ...result, error: clean(result.error, errorCharacters), answer: clean(result.answer, answerCharacters) }
}

function* listStrings(value: unknown): Generator<string> {
  if (typeof value === 'string') {
    yield value
    const [, word] = /^\S+\s+(\S+)$/.exec(value) ?? []
    if (word !== undefined) yield word
  } else if (typeof value === 'object' && value !== null) {
    for (const one of Object.values(value)) yield* listStrings(one)
  }
}
