import type { Test } from 'tap'
import { startObjectStore } from '../../../ops/embedded/object-store/server.ts'
import { type Peer, peerOf } from './peer.ts'

/** The embedded store in a folder, until the test ends. */
export async function startOurs(t: Test, dir: string): Promise<Peer> {
  const access = { region: 'us-east-1', bucket: 'millrace', accessKey: 'AKIDPEER', secretKey: 'a secret/with+marks' }
  const store = await startObjectStore({
    host: '127.0.0.1',
    port: 0,
    dir,
    ...access,
    buckets: ['millrace'],
  })
  t.teardown(() => store.close())
  return peerOf('the embedded store', { ...access, endpoint: store.url })
}
