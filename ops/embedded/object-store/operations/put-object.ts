import { type Exchange, respondEmpty } from '../exchange.ts'
import { Body } from '../protocol/body.ts'
import { checkWrite } from '../protocol/conditions.ts'
import * as objects from '../storage/objects.ts'
import { checksumHeaders, readStored } from './stored-headers.ts'

export const largestPut = 5 * 1024 ** 3

export async function putObject(exchange: Exchange): Promise<void> {
  const { call, grant, response, store } = exchange
  const headers = readStored(call)
  const body = new Body(call, grant, response, { limit: largestPut })
  // The conditions are checked early, so that the client does not send the body in vain, and again in the transaction.
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
  await respondEmpty(exchange, 200, { etag: `"${object.etag}"`, ...checksumHeaders(object.checksum) })
}
