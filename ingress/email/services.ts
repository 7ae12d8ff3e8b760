import { createDns, type Dns } from '#lib/network/dns.ts'
import { configuredLookups, type Lookups } from '#tasks/email/rules/domains/check-records.ts'
import { service } from '../http/container.ts'
import { createMailDomains, type MailDomains } from './domains/mail-domains.ts'

export const lookups = service<Lookups>({ name: 'email.lookups', open: configuredLookups })

export const dns = service<Dns>({ name: 'email.dns', open: () => createDns() })

export const mailDomains = service<MailDomains>({
  name: 'email.mail-domains',
  open: ({ services }) => createMailDomains(services(dns)),
})
