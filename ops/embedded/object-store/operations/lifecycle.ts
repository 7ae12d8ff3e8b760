import { answerEmpty, answerXml, type Exchange } from '../exchange.ts'
import { Body } from '../protocol/body.ts'
import { S3Error } from '../protocol/errors.ts'
import { readRules, writeRules } from '../protocol/lifecycle.ts'
import * as xml from '../protocol/xml.ts'
import * as lifecycles from '../storage/lifecycles.ts'

/** Gives a bucket rules, in the place of any it has, by which objects and uploads go by themselves. */
export async function putLifecycle(exchange: Exchange): Promise<void> {
  const { call, grant, response, store } = exchange
  const text = await new Body(call, grant, response, { limit: 1 << 20 }).text()
  await lifecycles.set(store, call.bucket, readRules(xml.readDocument(text, 'LifecycleConfiguration')))
  await answerEmpty(exchange, 200)
}

/** Returns the rules of a bucket. */
export async function getLifecycle(exchange: Exchange): Promise<void> {
  const rules = lifecycles.find(exchange.store, exchange.call.bucket)
  if (rules.length === 0)
    throw new S3Error('NoSuchLifecycleConfiguration', 'The lifecycle configuration does not exist.', {
      details: { BucketName: exchange.call.bucket },
    })
  await answerXml(exchange, 'LifecycleConfiguration', writeRules(rules))
}

/** Takes a bucket's rules away, for good: those it was started with do not come back. */
export async function deleteLifecycle(exchange: Exchange): Promise<void> {
  await lifecycles.set(exchange.store, exchange.call.bucket, [])
  await answerEmpty(exchange, 204)
}
