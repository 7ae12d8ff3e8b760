import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { grantClaims } from './conformance/grants.ts'
import { objectClaims } from './conformance/objects.ts'
import { startOurs } from './conformance/ours.ts'
import { partClaims } from './conformance/parts.ts'

const folder = await mkdtemp(join(tmpdir(), 'millrace-peers-'))
t.teardown(() => rm(folder, { recursive: true, force: true }))
const peer = await startOurs(t, folder)

for (const [first] of [objectClaims, partClaims, grantClaims])
  if (first) t.test(`${peer.name}: ${first.claim}`, (t) => first.holds(t, peer))
