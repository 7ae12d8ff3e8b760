import { account } from './account/index.ts'
import { ai } from './ai/index.ts'
import { app } from './app/index.ts'
import { automation } from './automation/index.ts'
import { bots } from './bots/index.ts'
import { console } from './console/index.ts'
import { directory } from './directory/index.ts'
import { docs } from './docs/index.ts'
import { email } from './email/index.ts'
import { erp } from './erp/index.ts'
import { files } from './files/index.ts'
import { geo } from './geo/index.ts'
import { guard } from './guard/index.ts'
import { hooks } from './hooks/index.ts'
import type { Area } from './http/area.ts'
import { identity } from './identity/index.ts'
import { intake } from './intake/index.ts'
import { jobs } from './jobs/index.ts'
import { live } from './live/index.ts'
import { mcp } from './mcp/index.ts'
import { moving } from './moving/index.ts'
import { notify } from './notify/index.ts'
import { people } from './people/index.ts'
import { push } from './push/index.ts'
import { rooms } from './rooms/index.ts'
import { service } from './service/index.ts'
import { sms } from './sms/index.ts'
import { status } from './status/index.ts'
import { trust } from './trust/index.ts'
import { verify } from './verify/index.ts'
import { video } from './video/index.ts'
import { voice } from './voice/index.ts'
import { whatsapp } from './whatsapp/index.ts'
import { wiki } from './wiki/index.ts'

export const areas: readonly Area[] = [
  service,
  status,
  docs,
  account,
  ai,
  automation,
  bots,
  directory,
  email,
  erp,
  files,
  geo,
  guard,
  hooks,
  identity,
  jobs,
  moving,
  notify,
  people,
  push,
  trust,
  verify,
  video,
  live,
  rooms,
  voice,
  whatsapp,
  sms,
  intake,
  wiki,
  mcp,
  app,
  console,
]
