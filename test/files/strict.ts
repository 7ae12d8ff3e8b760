import { eicar } from './archives.ts'
import { engineOf } from './stand-in.ts'

/** ClamAV's rule for EICAR: it begins the content, behind which there are some blanks at most. */
export const isEicarFile = (bytes: Buffer): boolean =>
  bytes.length <= 128 && bytes.subarray(0, eicar.length).equals(eicar)

/** An engine that knows EICAR where a content is that and no more, so that it is found in no archive from outside. */
export const strict = engineOf(async (bytes) => {
  const chunks: Buffer[] = []
  for await (const chunk of bytes) chunks.push(Buffer.from(chunk as Buffer))
  const isBad = isEicarFile(Buffer.concat(chunks))
  return isBad ? { status: 'infected', signature: 'Eicar-Test-Signature' } : { status: 'clean' }
})
