import { z } from 'zod'
import { config } from '#lib/config.ts'
import { Id } from '#lib/ids.ts'
import type { InboundRoute as Row } from '#sql/email/inbound-routes.ts'
import { Instant } from '../../http/instant.ts'

export const InboundRoute = z
  .object({
    id: Id,
    address: z.string().describe('`*@…`: all addresses of the host that have no other route'),
    record: z
      .object({ name: z.string(), type: z.literal('MX'), value: z.string(), priority: z.int() })
      .nullable()
      .describe('MX record to publish. `null` for an address at the host of this installation, which needs no record.'),
    created_at: Instant,
  })
  .meta({ id: 'email.InboundRoute' })

export const present = ({ id, domain_id, host, local_part, created_at }: Row): z.input<typeof InboundRoute> => ({
  id,
  address: `${local_part ?? '*'}@${host}`,
  record: domain_id === null ? null : { name: host, type: 'MX', value: config.MAIL_HOSTNAME, priority: 10 },
  created_at,
})
