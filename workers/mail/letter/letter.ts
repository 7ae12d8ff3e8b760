import type { Body, Letter, LetterRequest } from '#tasks/email/engine.ts'
import { createSignatures } from './dkim.ts'
import { headerFields, readFields } from './header.ts'

export async function compose(request: LetterRequest, body: Body): Promise<Letter> {
  const { envelope, message, content, signer } = request
  const own = headerFields(message, content, request)
  const fields = [...own, ...readFields(body.fields)]
  const signed = await createSignatures(fields, body.hash, signer.domain, signer.keys, Math.floor(Date.now() / 1_000))
  const header = `${signed}${own.map(([name, value]) => `${name}: ${value}\r\n`).join('')}${body.fields}\r\n`
  return { ...envelope, is8Bit: body.is8Bit, bytes: Buffer.concat([Buffer.from(header, 'latin1'), body.bytes]) }
}
