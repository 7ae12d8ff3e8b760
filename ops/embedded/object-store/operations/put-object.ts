import { answerEmpty, type Exchange } from '../exchange.ts'
import { Body } from '../protocol/body.ts'
import { checkWrite } from '../protocol/conditions.ts'
import * as objects from '../storage/objects.ts'
import { checksumHeaders, readStored } from './stored-headers.ts'

/** The most bytes that one PUT takes: 5 GiB. */
export const largestPut = 5 * 1024 ** 3

/** Stores a body as the object of its key. */
export async function putObject(exchange: Exchange): Promise<void> {
  const { call, grant, response, store } = exchange
  const headers = readStored(call)
  const body = new Body(call, grant, response, { limit: largestPut })
  // The conditions are evaluated early to spare the client the sending, and in the transaction to be true.
  checkWrite(call.headers, objects.find(store, call))
  const object = await store.blobs.write(body.chunks(), (blob) =>
    objects.put(store, call, (current) => {
      checkWrite(call.headers, current)
      const { size, md5, checksum } = body.receipt
      return {
        object: { size, etag: md5, modified: Date.now(), headers, checksum },
        segments: [{ start: 0, size, blob }],
      }
    }),
  )
  await answerEmpty(exchange, 200, { etag: `"${object.etag}"`, ...checksumHeaders(object.checksum) })
}
