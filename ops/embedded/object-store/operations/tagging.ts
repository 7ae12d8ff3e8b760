import { type Exchange, respondEmpty, respondXml } from '../exchange.ts'
import { Body } from '../protocol/body.ts'
import { S3Error } from '../protocol/errors.ts'
import * as xml from '../protocol/xml.ts'
import * as objects from '../storage/objects.ts'
import * as tags from '../storage/tags.ts'

const [maxTags, maxKey, maxValue] = [10, 128, 256]

export async function getTagging(exchange: Exchange): Promise<void> {
  const object = objects.find(exchange.store, exchange.call)
  if (!object) throw missing(exchange)
  const found = tags.find(exchange.store, object.id)
  const Tag = found.map(([Key, Value]) => ({ Key, Value }))
  await respondXml(exchange, 'Tagging', { TagSet: Tag.length > 0 ? { Tag } : '' })
}

export async function putTagging(exchange: Exchange): Promise<void> {
  const { call, grant, response, store } = exchange
  const text = await new Body(call, grant, response, { limit: 1 << 16 }).text()
  if (!(await tags.set(store, call, readTags(text)))) throw missing(exchange)
  await respondEmpty(exchange, 200)
}

export async function deleteTagging(exchange: Exchange): Promise<void> {
  if (!(await tags.set(exchange.store, exchange.call, []))) throw missing(exchange)
  await respondEmpty(exchange, 204)
}

function readTags(text: string): tags.Tag[] {
  const set = xml.readDocument(text, 'Tagging').children.find(({ name }) => name === 'TagSet')
  const read = (set?.children ?? []).map((tag): tags.Tag => [xml.textOf(tag, 'Key'), xml.textOf(tag, 'Value')])
  if (read.length > maxTags) throw new S3Error('BadRequest', `Object tags cannot be greater than ${maxTags}.`)
  if (new Set(read.map(([key]) => key)).size < read.length || read.some(isTooLong))
    throw new S3Error('InvalidTag', 'A tag has an invalid or repeated key, or an invalid value.')
  return read
}

const isTooLong = ([key, value]: tags.Tag): boolean => key === '' || key.length > maxKey || value.length > maxValue

const missing = ({ call }: Exchange): S3Error =>
  new S3Error('NoSuchKey', 'The specified key does not exist.', { details: { Key: call.key } })
