import { type Exchange, respondEmpty, respondXml } from '../exchange.ts'
import { Body } from '../protocol/body.ts'
import { S3Error } from '../protocol/errors.ts'
import { readRules, writeRules } from '../protocol/lifecycle.ts'
import * as xml from '../protocol/xml.ts'
import * as lifecycles from '../storage/lifecycles.ts'

/** Sets a bucket’s rules for the expiry of objects and uploads. Replaces earlier rules. */
export async function putLifecycle(exchange: Exchange): Promise<void> {
  const { call, grant, response, store } = exchange
  const text = await new Body(call, grant, response, { limit: 1 << 20 }).text()
  await lifecycles.set(store, call.bucket, readRules(xml.readDocument(text, 'LifecycleConfiguration')))
  await respondEmpty(exchange, 200)
}

export async function getLifecycle(exchange: Exchange): Promise<void> {
  const rules = lifecycles.find(exchange.store, exchange.call.bucket)
  if (rules.length === 0)
    throw new S3Error('NoSuchLifecycleConfiguration', 'The lifecycle configuration does not exist.', {
      details: { BucketName: exchange.call.bucket },
    })
  await respondXml(exchange, 'LifecycleConfiguration', writeRules(rules))
}

/** Deletes a bucket’s rules permanently. The rules from the start of the store are not restored. */
export async function deleteLifecycle(exchange: Exchange): Promise<void> {
  await lifecycles.set(exchange.store, exchange.call.bucket, [])
  await respondEmpty(exchange, 204)
}
