import { type Exchange, respondEmpty, respondXml } from '../exchange.ts'
import { Body } from '../protocol/body.ts'
import { S3Error } from '../protocol/errors.ts'
import * as xml from '../protocol/xml.ts'
import * as objects from '../storage/objects.ts'

/** Deletes an object. An object that does not exist counts as deleted. */
export async function deleteObject(exchange: Exchange): Promise<void> {
  await objects.remove(exchange.store, exchange.call.bucket, [exchange.call.key])
  await respondEmpty(exchange, 204)
}

/** Deletes up to 1,000 objects in the body in one transaction. */
export async function deleteObjects(exchange: Exchange): Promise<void> {
  const { call, grant, response, store } = exchange
  const text = await new Body(call, grant, response, { limit: 8 << 20 }).text()
  const document = xml.readDocument(text, 'Delete')
  const named = document.children.filter(({ name }) => name === 'Object')
  if (named.length === 0 || named.length > 1000)
    throw new S3Error('MalformedXML', 'A Delete must name between 1 and 1,000 objects.')
  if (named.some((object) => xml.textOf(object, 'VersionId', undefined) ?? xml.textOf(object, 'ETag', undefined)))
    throw new S3Error('NotImplemented', 'Deleting by version or ETag is not implemented.')
  const keys = named.map((object) => xml.textOf(object, 'Key'))
  await objects.remove(store, call.bucket, keys)
  const isQuiet = xml.textOf(document, 'Quiet', undefined)?.trim() === 'true'
  await respondXml(exchange, 'DeleteResult', isQuiet ? {} : { Deleted: keys.map((Key) => ({ Key })) })
}
