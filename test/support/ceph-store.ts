import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Test } from 'tap'
import { Storage } from '#lib/storage/storage.ts'
import { type CephCluster, startCephCluster } from '../../ops/trials/ceph/bed.ts'
import { findMissingPrograms } from '../../ops/trials/ceph/programs.ts'
import { storeKeys, type TestStore } from './video-stack.ts'

const deployed = (name: string) => fileURLToPath(new URL(`../../ops/deploy/${name}`, import.meta.url))

/** A Ceph store and a bucket with the lifecycle rules of an installation. */
export interface CephStore {
  bed: CephCluster
  store: TestStore
}

/** Starts a store until the test ends. Returns undefined with a test comment if Ceph is not installed. */
export async function cephStore(t: Test): Promise<CephStore | undefined> {
  const missing = await findMissingPrograms()
  if (missing.length > 0) {
    t.comment(`Ceph is not installed here (no ${missing.join(', ')}; \`bash ops/setup.sh deep\` does it): not asked`)
    return undefined
  }
  const ends = new AsyncDisposableStack()
  t.teardown(() => ends.disposeAsync())
  const begun = Date.now()
  const bed = await startCephCluster(storeKeys, ends)
  t.comment(`a monitor, three OSDs and a gateway are up after ${((Date.now() - begun) / 1000).toFixed(1)} s`)
  const url = bed.endpoint
  const { host } = new URL(url)
  const { bucket, accessKey, secretKey } = storeKeys
  const options = ['-c', '/dev/null', '--no-ssl', `--host=${host}`, `--host-bucket=${host}`]
  const s3cmd = async (...args: string[]) =>
    await promisify(execFile)('s3cmd', [...options, `--access_key=${accessKey}`, `--secret_key=${secretKey}`, ...args])
  await s3cmd('mb', `s3://${bucket}`)
  await s3cmd('setcors', deployed('ceph/cors.xml'), `s3://${bucket}`)
  await s3cmd('setlifecycle', deployed('lifecycle.xml'), `s3://${bucket}`)
  const storage = new Storage({ endpoint: url, publicEndpoint: url, ...storeKeys })
  return {
    bed,
    store: {
      url,
      storage,
      list: (prefix) => storage.keys(prefix),
      stop: () => bed.gateway.away(),
      start: () => bed.gateway.back(),
    },
  }
}
