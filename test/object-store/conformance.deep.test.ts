import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { grantClaims } from './conformance/grants.ts'
import { objectClaims } from './conformance/objects.ts'
import { startOurs } from './conformance/ours.ts'
import { partClaims } from './conformance/parts.ts'
import { startSwift } from './conformance/swift.ts'

// A store that fulfils these claims can be used by the product.
const claims = [...objectClaims, ...partClaims, ...grantClaims]

const folder = await mkdtemp(join(tmpdir(), 'millrace-peers-'))
t.teardown(() => rm(folder, { recursive: true, force: true }))

const peers = await Promise.all([startOurs(t, join(folder, 'ours')), startSwift(t, join(folder, 'swift'))])

for (const peer of peers.filter((peer) => !!peer))
  for (const { claim, holds } of claims) t.test(`${peer.name}: ${claim}`, (t) => holds(t, peer))
