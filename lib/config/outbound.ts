import { port, ranges, resolvers } from './values.ts'

/** What requests and look-ups for customers may reach. */
export const outbound = {
  OUTBOUND_ALLOWED: ranges
    .default([])
    .describe(
      'addresses or CIDR ranges beside public ones that requests to customers’ URLs may reach, on any port; `10.0.0.0/8,…`',
    ),
  DNS_RESOLVERS: resolvers
    .default([])
    .describe('DNS servers that prove domains, `address` or `address:port`; default: the system’s'),
  DNS_AUTHORITATIVE_PORT: port.min(1).default(53).describe('port on which name servers of customers’ zones are asked'),
}
