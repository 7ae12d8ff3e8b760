import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import sharp from 'sharp'
import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { testDatabase } from '../support/database.ts'
import { people, sample } from '../support/faces.ts'
import { fieldsOf, type Reply, testIngress, testOrg } from '../support/ingress.ts'
import { startWorkers } from '../support/video-stack.ts'

t.setTimeout(120_000)
const { db, url: databaseUrl } = await testDatabase(t)
const ingress = await testIngress(t, db)
const { keys } = await testOrg(db, ['identity:verify'])
const data = t.testdir({})
const options = { databaseUrl, store: { url: 'http://127.0.0.1:1' }, data, environment: {}, pools: 'face', under: [] }
const workers = await startWorkers(t, options)

const match = (a: Buffer | string, b: Buffer | string, more = {}) => {
  const text = (image: Buffer | string) => (typeof image === 'string' ? image : image.toString('base64'))
  const body = { image_a: text(a), image_b: text(b), ...more }
  return ingress.ask('POST /v1/identity/face-match', { key: keys.main, body })
}
const faces = await Promise.all([0, 1].map((i) => people[i]?.face() as Promise<Buffer>))
const [ann, ben] = faces as [Buffer, Buffer]

t.test('a person is matched', async (t) => {
  const poor = await people[0]?.face((face) => face.resize(160).jpeg({ quality: 30 }))
  const reply = await match(ann, poor as Buffer)
  t.match(reply, { status: 200, body: { decision: 'match', match: true } }, reply.text)
  t.match((await match(ann, ben)).body, { decision: 'no_match' })
  console.log(reply.text)
})
