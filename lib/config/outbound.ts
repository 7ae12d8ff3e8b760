import { port, ranges, resolvers } from './values.ts'

export const outbound = {
  OUTBOUND_ALLOWED: ranges
    .default([])
    .describe(
      'Non-public IP addresses or CIDR ranges that requests to customers’ URLs can reach, on any port. For example, `10.0.0.0/8,192.168.0.0/16`.',
    ),
  DNS_RESOLVERS: resolvers
    .default([])
    .describe('DNS servers for domain verification: `address` or `address:port`. Default: the system’s servers.'),
  DNS_AUTHORITATIVE_PORT: port.min(1).default(53).describe('Port of the name servers of customers’ zones'),
}
