import { Storage } from '#lib/storage/storage.ts'
import { provide } from '../../ingress/http/container.ts'
import { signingSecret as secretService, storage } from '../../ingress/http/services.ts'
import { insertAsset } from '../support/assets.ts'
import { testDatabase } from '../support/database.ts'
import { type Ask, type TestScope, testIngress, testOrg } from '../support/ingress.ts'
import { signingSecret, storeKeys } from '../support/video-stack.ts'

/** A directory of two organisations, without storage: pages name where posters come from, and nothing is asked for there. */
export async function directoryStack(t: TestScope, areas: readonly string[] = []) {
  const { db, url: databaseUrl } = await testDatabase(t)
  const address = 'http://storage.example'
  const files = new Storage({ endpoint: address, publicEndpoint: address, ...storeKeys })
  const ingress = await testIngress(t, db, [], {
    only: ['directory', 'video', 'live', ...areas],
    services: [provide(storage, files), provide(secretService, signingSecret)],
    trustedProxies: ['127.0.0.1', '::1'],
  })
  const scopes = ['streaming:read', 'streaming:write', 'stream:read', 'stream:write']
  const [ours, theirs] = [await testOrg(db, scopes), await testOrg(db, scopes)]
  const ask = (request: string, options: Ask = {}) => ingress.ask(request, { key: ours.keys.main, ...options })
  const asThem = (request: string, options: Ask = {}) => ask(request, { key: theirs.keys.main, ...options })
  const asset = (given: Parameters<typeof insertAsset>[2] = {}, org = ours.org.id) => insertAsset(db, org, given)
  return { db, databaseUrl, ingress, ours, theirs, ask, asThem, asset }
}
